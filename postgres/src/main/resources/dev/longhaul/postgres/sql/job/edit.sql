-- planner: index only
-- Changes a waiting or held job, whose row is locked, and returns it.
with changed as (
    update longhaul.live_job j
    set state = :state, name = :name, run_at = :runAt::timestamptz, rank = :rank, params = :params, secrets = :secrets,
        labels = :labels::text[], max_attempts = :maxAttempts, position = j.position + 1, updated_at = longhaul.clock()
    where j.id = :id and (j.state + 0) < 2
    returning j.*
), {record_command}
select {live_job_columns}
from changed j
