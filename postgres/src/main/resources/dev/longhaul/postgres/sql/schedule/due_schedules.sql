-- planner: index only
-- Schedules whose time has come, longest due first: reads only these, however many there are.
select {schedule_columns}
from longhaul.schedule s
where s.next_fire_at is not null and s.next_fire_at <= longhaul.clock()
order by s.next_fire_at
limit :max
