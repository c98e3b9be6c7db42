-- planner: index only
-- A page of schedules, ordered by key. Keys are never empty, so an empty :after returns the first page.
select {schedule_columns}
from longhaul.schedule s
where s.key > :after
order by s.key
limit :limit
