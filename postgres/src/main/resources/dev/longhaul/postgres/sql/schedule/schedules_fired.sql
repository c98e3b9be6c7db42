-- planner: index only
-- Lets schedules go on to their next fire time; their rows are locked.
update longhaul.schedule s
set next_fire_at = g.next_fire_at, version = g.version, runs = g.runs, last_fire_at = g.last_fire_at, last_job_id = g.last_job_id
from unnest(:keys::text[], :nextFireAts::timestamptz[], :versions::bigint[], :runs::bigint[], :lastFireAts::timestamptz[],
    :lastJobIds::uuid[]) as g (key, next_fire_at, version, runs, last_fire_at, last_job_id)
where s.key = g.key
