-- planner: index only
-- Runs of a job: runs with their own rows, and the latest run, which is part of the job's row.
select r.run, r.attempt, r.status, r.worker_id, r.started_at, r.ended_at, r.ended_at as updated_at, r.error_code, r.error_message,
    r.error_type, r.error_stack
from longhaul.job_run r
where r.job_id = :id and r.run > :after
union all
select j.run, j.attempts, 0::smallint, j.worker_id, j.started_at, null, greatest(j.updated_at, j.heartbeat_at),
    null, null, null, null
from longhaul.live_job j
where j.id = :id and j.state >= 2 and j.run > :after
union all
select j.ended_run, j.attempts, (j.state - 3)::smallint, j.worker_id, j.started_at, j.finished_at, j.finished_at,
    j.error_code, j.error_message, j.error_type, j.error_stack
from longhaul.finished_job j
where j.id = :id and j.ended_run > 0 and j.ended_run > :after
    and not exists (select from longhaul.job_run r where r.job_id = j.id and r.run = j.ended_run)
order by 1
limit :limit
