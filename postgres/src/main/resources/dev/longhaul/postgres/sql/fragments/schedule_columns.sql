-- The columns of a schedule, from a row s of longhaul.schedule, and the clock.
s.key, s.created_at, s.updated_at, s.next_fire_at, s.version, s.runs, s.last_fire_at, s.last_job_id, s.paused_at, s.paused_by,
    s.paused_note, s.definition_version, s.timeout_seconds, s.rank, s.max_attempts, s.definition_key, s.queue, s.params, s.name,
    s.labels, s.cron, s.time_zone, s.dst, s.every_seconds, s.anchor, s.fire_times, s.start_at, s.end_at, s.max_runs,
    s.jitter_seconds, s.catch_up, s.catch_up_max, s.catch_up_window_seconds, s.overlap, s.secrets, longhaul.clock() as now
