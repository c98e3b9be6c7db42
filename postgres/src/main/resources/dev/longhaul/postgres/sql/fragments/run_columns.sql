-- The columns that RunRow.java reads, from a row j of longhaul.live_job, and the clock.
j.id, j.run, j.lease_key, j.state, j.attempts, j.max_attempts, j.crashes, j.position, j.started_position, j.last_sequence,
    j.run_at, j.started_at, j.worker_id, j.definition_key, j.queue, j.counted, j.progress, j.progress_message, j.begun,
    j.heartbeat_at, longhaul.clock() as now
