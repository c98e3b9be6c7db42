-- Whether this leadership is still held. A process that wants to take it waits until the transaction ends: writes of a
-- leader are committed before its successor starts, or not at all. A leader that is suspended in between must not block
-- other processes for long; the timeout ends its session.
select set_config('idle_in_transaction_session_timeout', '5s', true)
from longhaul.leader l
where l.holder = :holder and l.epoch = :epoch
for share
