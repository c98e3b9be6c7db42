-- planner: index only
-- A page of schedules in the order of their keys, which are never empty.
select {schedule_columns}
from longhaul.schedule s
where s.key > :after
order by s.key
limit :limit
