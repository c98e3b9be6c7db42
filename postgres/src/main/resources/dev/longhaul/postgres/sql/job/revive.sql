-- planner: index only
-- Restarts a failed or cancelled job and returns it: its row, which is locked, moves back to the live table. That row
-- then describes the next end of the job, so the last run gets its own row, unless it has one, and the last end gets an
-- event.
with gone as (
    delete from longhaul.finished_job j where j.id = :id and j.state > 4 returning j.*
), archived as (
    -- status: see job_run.
    insert into longhaul.job_run (job_id, run, attempt, status, lease_key, worker_id, started_at, ended_at, started_position,
        error_code, error_message, error_type, error_stack)
    select g.id, g.ended_run, g.attempts, case g.state when 5 then 2 else 3 end, g.lease_key, g.worker_id, g.started_at,
        g.finished_at, g.started_position, g.error_code, g.error_message, g.error_type, g.error_stack
    from gone g
    where g.ended_run > 0 and not :archived
), ended as (
    insert into longhaul.job_event (job_id, position, run, sequence, type, at, payload)
    select g.id, g.ended_position, g.ended_run, 0, :endEvent, g.finished_at, :endPayload
    from gone g
    where g.ended_run > 0
), changed as (
    insert into longhaul.live_job (id, run_at, created_at, updated_at, run, position, definition_version, timeout_seconds,
        state, rank, max_attempts, definition_key, queue, params, lease_key, fire_at, name, correlation_id, labels, created_by,
        schedule_key, traceparent, secrets)
    select g.id, longhaul.clock(), g.created_at, longhaul.clock(), g.run, g.position + 1, g.definition_version,
        g.timeout_seconds, 1, g.rank, g.max_attempts, g.definition_key, g.queue, g.params, g.lease_key, g.fire_at, g.name,
        g.correlation_id, g.labels, g.created_by, g.schedule_key, g.traceparent, g.secrets
    from gone g
    returning *
), {record_command}
select {live_job_columns}
from changed j
