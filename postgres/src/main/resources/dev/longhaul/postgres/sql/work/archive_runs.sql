-- Stores runs that their job's row does not describe.
insert into longhaul.job_run (job_id, run, attempt, status, lease_key, worker_id, started_at, ended_at, started_position,
    ended_position, error_code, error_message, error_type, error_stack)
select r.job_id, r.run, r.attempt, r.status, r.key, r.worker_id, r.started_at, r.ended_at, r.started_position,
    r.ended_position, r.error_code, r.error_message, r.error_type, r.error_stack
from unnest(:ids::uuid[], :runs::int[], :attempts::smallint[], :statuses::smallint[], :keys::uuid[], :workers::text[],
    :startedAts::timestamptz[], :endedAts::timestamptz[], :startedPositions::int[], :endedPositions::int[],
    :errorCodes::text[], :errorMessages::text[], :errorTypes::text[], :errorStacks::text[])
    as r (job_id, run, attempt, status, key, worker_id, started_at, ended_at, started_position, ended_position,
        error_code, error_message, error_type, error_stack)
