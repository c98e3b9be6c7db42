-- planner: index only
-- Stores the request that has just cancelled a waiting job, in the same transaction. finish.sql copies only the request of a
-- running one, which the CHECK of live_job allows in no other state.
update longhaul.finished_job j
set cancel_requested_at = j.finished_at, cancel_reason = :reason, cancel_grace_millis = :grace
where j.id = :id
