-- planner: index only
-- Ends jobs: each row moves from the live to the finished table if its claim still holds. Returns the claims whose jobs moved, with
-- what statistics need of their runs. leased: false for a job that ends without a run; null, or an empty array, for all others.
-- Such a job is identified by the run and key that were read under its lock.
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
        -- (state + 0): hidden from the planner, which must take the primary key and not the index of leased jobs.
        and ((j.state + 0) >= 2) = coalesce(e.leased, true)
        -- Evaluated once, before a row is locked. This statement often is a transaction of its own, which has no other bound.
        and (select set_config('lock_timeout', '3s', true)) is not null
    returning j.*, e.state as end_state, e.result, e.error_code as end_code, e.error_message as end_message,
        e.error_type as end_type, e.error_stack as end_stack, coalesce(e.crashes, 0) as end_crashes,
        coalesce(e.positions, 1) as end_positions, coalesce(e.leased, true) as leased,
        coalesce(:now::timestamptz, longhaul.clock()) as ended_at
), freed as (
    select g.definition_key, count(*) as jobs from gone g where g.counted and g.leased group by g.definition_key
), counter as materialized (
    -- Locked in the order of their keys, so that two batches cannot deadlock.
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
), hooked as (
    -- The worker that ended the run by its claim runs the hooks itself, and has a head start for that. No worker does when the
    -- job was cancelled while it waited, or when its run was lost, which takes two positions. The first condition is evaluated
    -- once: without hooks, the second is not evaluated at all.
    insert into longhaul.due_hook as due (job_id, definition_key, definition_version, available_at)
    select g.id, g.definition_key, g.definition_version,
        g.ended_at + case when g.leased and g.end_positions = 1 then :headStart * interval '1 microsecond' else interval '0' end
    from gone g
    where (select true from longhaul.hooked_definition limit 1)
        and exists (select from longhaul.hooked_definition h where h.definition_key = g.definition_key)
    -- The job was retried before its hooks ran.
    on conflict (job_id) do update set available_at = excluded.available_at
), told as (
    -- details says how the job ended where the name of the event does not.
    insert into longhaul.webhook_delivery (id, webhook_id, event, at, since, next_try_at, job_id, turn, position,
        definition_key, definition_version, queue, run, attempts, name, correlation_id, labels, traceparent, error_code,
        error_message, details, url, secret)
    select gen_random_uuid(), w.webhook_id, w.event, g.ended_at, g.ended_at, g.ended_at, g.id,
        2 * (g.position + g.end_positions) + (w.event = 'job.ended')::int, g.position + g.end_positions,
        g.definition_key, g.definition_version, g.queue, g.run, g.attempts, g.name, g.correlation_id, g.labels,
        g.traceparent, g.end_code, g.end_message,
        case when w.event = 'job.ended' then case g.end_state when 4 then 'succeeded' when 5 then 'failed' else 'cancelled' end end,
        w.url, w.secret
    from gone g
    cross join lateral longhaul.webhooks_for(
        array[case g.end_state when 4 then 'job.succeeded' when 5 then 'job.failed' else 'job.cancelled' end, 'job.ended'],
        g.id, g.definition_key, g.queue, g.labels) w
    -- Evaluated once: where no webhook can match any of the jobs, none is matched job by job.
    where (select true from longhaul.webhook w
        where w.enabled and (w.of_jobs or w.definition_keys is null
            or w.definition_keys && (select array_agg(g.definition_key) from gone g))
        limit 1)
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
returning id, run, lease_key, definition_key, queue, run_at, started_at, finished_at
