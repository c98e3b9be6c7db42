-- planner: index only
-- The fires of a schedule, latest fire time first.
select f.schedule_key, f.fire_at, f.fired_at, f.job_id, f.cause, f.outcome
from longhaul.schedule_fire f
where f.schedule_key = :key and f.fire_at < coalesce(:before::timestamptz, 'infinity')
order by f.fire_at desc
limit :limit
