-- planner: index only
-- Wants a running job to end; its row is locked.
update longhaul.live_job j
set state = 3, cancel_requested_at = longhaul.clock(), cancel_reason = :reason, cancel_grace_millis = :grace,
    position = :position, updated_at = longhaul.clock()
where j.id = :id and (j.state + 0) = 2
