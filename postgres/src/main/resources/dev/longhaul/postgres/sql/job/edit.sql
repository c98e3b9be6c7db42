-- planner: index only
-- Changes a job that waits or is held; its row is locked.
update longhaul.live_job j
set state = :state, name = :name, run_at = :runAt::timestamptz, rank = :rank, params = :params, secrets = :secrets,
    labels = :labels::text[], max_attempts = :maxAttempts, position = :position, updated_at = longhaul.clock()
where j.id = :id and (j.state + 0) < 2
