-- planner: index only
-- Returns how many microseconds remain until the next schedule is due.
select greatest(0, ceil(extract(epoch from s.next_fire_at - longhaul.clock()) * 1000000))::bigint as micros
from longhaul.schedule s
where s.next_fire_at is not null
order by s.next_fire_at
limit 1
