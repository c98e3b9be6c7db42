-- The columns of a job that was just claimed, from a row j of longhaul.live_job.
j.id, j.definition_key, j.definition_version, j.queue, j.rank, j.params, j.max_attempts, j.timeout_seconds, j.name,
    j.correlation_id, j.labels, j.created_by, j.schedule_key, j.fire_at, j.traceparent, j.created_at, j.run_at, j.started_at,
    j.run, j.attempts, j.crashes, j.lease_until, j.error_code, j.error_message, j.error_type, j.error_stack, j.counted,
    j.position, j.secrets, j.begun, j.begin_first
