-- planner: index only
-- Stores fires, and the next fire times of schedules whose rows are locked. Fails, together with the transaction, if a
-- fire time has fired already.
with fires as (
    insert into longhaul.schedule_fire (schedule_key, fire_at, fired_at, job_id, cause, outcome)
    select g.key, g.fire_at, :firedAt::timestamptz, g.job_id, g.cause, g.outcome
    from unnest(:fireKeys::text[], :fireAts::timestamptz[], :jobIds::uuid[], :causes::smallint[], :outcomes::smallint[])
        as g (key, fire_at, job_id, cause, outcome)
)
update longhaul.schedule s
set next_fire_at = g.next_fire_at, version = g.version, runs = g.runs, last_fire_at = g.last_fire_at, last_job_id = g.last_job_id
from unnest(:keys::text[], :nextFireAts::timestamptz[], :versions::bigint[], :runs::bigint[], :lastFireAts::timestamptz[],
    :lastJobIds::uuid[]) as g (key, next_fire_at, version, runs, last_fire_at, last_job_id)
where s.key = g.key
