-- Whether this leadership still stands. Whoever wants to take it waits until the transaction is over: what a leader writes is
-- committed before its successor begins, or not at all. A leader that is stopped in between must not hold up the others for
-- long, hence the timeout.
select set_config('idle_in_transaction_session_timeout', '5s', true)
from longhaul.leader l
where l.holder = :holder and l.epoch = :epoch
for share
