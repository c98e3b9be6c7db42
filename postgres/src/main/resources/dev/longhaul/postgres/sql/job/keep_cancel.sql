-- planner: index only
-- Stores the request that has just cancelled a waiting job, in the same transaction, and returns the job. finish.sql
-- copies only the request of a running job, because the CHECK of live_job allows it in no other state.
with changed as (
    update longhaul.finished_job j
    set cancel_requested_at = j.finished_at, cancel_reason = :reason, cancel_grace_millis = :grace
    where j.id = :id
    returning j.*
), {record_command}
select {finished_job_columns}
from changed j
