-- planner: index only
-- Locks one finished job.
select j.state, j.run, j.attempts, j.ended_run, j.ended_position, j.position, j.lease_key, j.worker_id, j.started_at,
    j.started_position, j.finished_at, j.error_code, j.error_message, j.error_type, j.error_stack, j.cancel_reason, j.queue,
    exists (select from longhaul.job_run r where r.job_id = j.id and r.run = j.ended_run) as archived
from longhaul.finished_job j
where j.id = :id
for update
