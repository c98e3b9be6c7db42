-- One schedule, which nobody else can change until the transaction is over.
select {schedule_columns}
from longhaul.schedule s
where s.key = :key
for update
