-- planner: index only
-- Those of these fires that have happened.
select f.schedule_key, f.fire_at
from unnest(:keys::text[], :fireAts::timestamptz[]) as wanted (key, fire_at)
cross join lateral (
    select f.schedule_key, f.fire_at from longhaul.schedule_fire f
    where f.schedule_key = wanted.key and f.fire_at = wanted.fire_at offset 0
) f
