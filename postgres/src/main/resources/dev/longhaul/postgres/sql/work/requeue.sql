-- planner: index only
-- Moves jobs whose runs have ended back to waiting. Their rows are locked and their claims checked (lock_claims.sql).
with back as materialized (
    select *
    from unnest(:ids::uuid[], :runAts::timestamptz[], :attempts::smallint[], :crashes::smallint[], :positions::int[],
        :errorCodes::text[], :errorMessages::text[], :errorTypes::text[], :errorStacks::text[], :beginFirst::boolean[])
        as b (id, run_at, attempts, crashes, position, error_code, error_message, error_type, error_stack, begin_first)
), requeued as (
    update longhaul.live_job j
    set state = 1, lease_until = null, heartbeat_at = null, run_at = b.run_at, attempts = b.attempts, crashes = b.crashes,
        position = b.position, updated_at = :now::timestamptz, error_code = b.error_code, error_message = b.error_message,
        error_type = b.error_type, error_stack = b.error_stack, begun = false, begin_first = j.begin_first or b.begin_first
    from back b
    where j.id = b.id and (j.state + 0) = 2
    returning j.*
), happened as not materialized (
    -- Only for runs that failed or were lost. Other runs ended without an error, or do not count as an attempt.
    select r.id, '{job.retrying}'::text[] as events, r.updated_at as at, null::timestamptz as hooks_at, r.position,
        r.definition_key, r.definition_version, r.queue, r.run, r.attempts, r.name, r.correlation_id, r.labels, r.traceparent,
        r.error_code, r.error_message
    from requeued r
    where r.error_code is not null and r.error_code <> 'params_unreadable'
), noted as (
    {note_effects}
), freed as (
    select r.definition_key, count(*) as jobs from requeued r where r.counted group by r.definition_key
), counter as materialized (
    select l.definition_key
    from longhaul.definition_limit l
    where l.definition_key in (select f.definition_key from freed f)
    order by l.definition_key
    for update
)
update longhaul.definition_limit l
set running = l.running - f.jobs
from counter c
join freed f on f.definition_key = c.definition_key
where l.definition_key = c.definition_key
