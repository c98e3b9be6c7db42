-- planner: index only
-- Ends jobs: each row moves from the live to the finished table if its claim still holds. Returns the claims whose jobs
-- moved, with the columns that statistics need of their runs. leased: false for a job that ends without a run; null, or
-- an empty array, for all others. A job without a run is identified by the run and key that were read under its lock.
with ended as materialized (
    select *
    from unnest(:ids::uuid[], :runs::int[], :keys::uuid[], :states::smallint[], :results::text[], :errorCodes::text[],
        :errorMessages::text[], :errorTypes::text[], :errorStacks::text[], :crashes::smallint[], :positions::int[],
        :leased::boolean[])
        as e (id, run, key, state, result, error_code, error_message, error_type, error_stack, crashes, positions, leased)
), gone as (
    delete from longhaul.live_job j
    using ended e
    where j.id = e.id and j.run = e.run and j.lease_key is not distinct from e.key
        -- (state + 0) hides the column from the planner, which must use the primary key and not the index of leased
        -- jobs.
        and ((j.state + 0) >= 2) = coalesce(e.leased, true)
        -- A run ends as cancelled only if a cancel was requested.
        and not ((j.state + 0) = 2 and e.state = 6)
    returning j.*, e.state as end_state, e.result, e.error_code as end_code, e.error_message as end_message,
        e.error_type as end_type, e.error_stack as end_stack, coalesce(e.crashes, 0) as end_crashes,
        coalesce(e.positions, 1) as end_positions, coalesce(e.leased, true) as leased,
        coalesce(:now::timestamptz, longhaul.clock()) as ended_at
), freed as (
    select g.definition_key, count(*) as jobs from gone g where g.counted and g.leased group by g.definition_key
), counter as materialized (
    -- Rows are locked in the order of their keys, so that two batches cannot deadlock.
    select l.definition_key
    from longhaul.definition_limit l
    where l.definition_key in (select f.definition_key from freed f)
    order by l.definition_key
    for update
), counted as (
    update longhaul.definition_limit l
    set running = l.running - f.jobs
    from counter c
    join freed f on f.definition_key = c.definition_key
    where l.definition_key = c.definition_key
), happened as not materialized (
    -- The worker that ended the run by its claim runs the hooks itself, and gets a head start. No worker runs them
    -- when the job was cancelled while it waited, or when its run was lost (then the end has two events).
    select g.id, array['job.' || (array['succeeded', 'failed', 'cancelled'])[g.end_state - 3], 'job.ended'] as events,
        g.ended_at as at, g.ended_at + case when g.leased and g.end_positions = 1
            then :headStart * interval '1 microsecond' else interval '0' end as hooks_at,
        g.position + g.end_positions as position, g.definition_key, g.definition_version, g.queue, g.run, g.attempts, g.name,
        g.correlation_id, g.labels, g.traceparent, g.end_code as error_code, g.end_message as error_message
    from gone g
), noted as (
    {note_effects}
)
insert into longhaul.finished_job (id, run_at, created_at, updated_at, finished_at, run, position, ended_position,
    ended_run, definition_version, timeout_seconds, state, rank, attempts, max_attempts, crashes, progress,
    definition_key, queue, params, result, lease_key, started_at, started_position, worker_id, cancel_requested_at,
    cancel_grace_millis, fire_at, name, correlation_id, labels, created_by, schedule_key, traceparent, progress_message,
    cancel_reason, error_code, error_message, error_type, error_stack, secrets)
select id, run_at, created_at, ended_at, ended_at, run, position + end_positions, position + end_positions,
    case when leased then run else 0 end, definition_version, timeout_seconds, end_state, rank, attempts, max_attempts,
    crashes + end_crashes, progress, definition_key, queue, params, result, lease_key, started_at, started_position,
    worker_id, cancel_requested_at, cancel_grace_millis, fire_at, name, correlation_id, labels, created_by, schedule_key,
    traceparent, progress_message, cancel_reason, end_code, end_message, end_type, end_stack, secrets
from gone
returning id, run, lease_key, state, definition_key, queue, run_at, started_at, finished_at
