-- Locks one schedule, so that no other session can change it until the transaction ends.
select {schedule_columns}
from longhaul.schedule s
where s.key = :key
for update
