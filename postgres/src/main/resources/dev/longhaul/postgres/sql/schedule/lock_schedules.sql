-- planner: index only
-- These schedules, which nobody else can change until the transaction is over. Locked in the order of their keys, so that two
-- leaders do not wait for each other.
select s.key, s.version, longhaul.clock() as now
from longhaul.schedule s
where s.key = any (:keys::text[])
order by s.key
for update
