-- planner: index only
-- Requests the cancel of a running job and returns the job; writes and returns nothing when it does not run. The update
-- locks the row and checks its state after any wait, so that no other statement is needed.
with changed as (
    update longhaul.live_job j
    -- Not before updated_at: while this statement waits for the lock, the lock's holder may store a later time.
    set state = 3, cancel_requested_at = greatest(longhaul.clock(), j.updated_at), cancel_reason = :reason,
        cancel_grace_millis = :grace, position = j.position + 1, updated_at = greatest(longhaul.clock(), j.updated_at)
    where j.id = :id and (j.state + 0) = 2
    returning j.*
), {record_command}
select {live_job_columns}, case when :notification::text is not null then pg_notify(:channel, :notification::text) end
from changed j
