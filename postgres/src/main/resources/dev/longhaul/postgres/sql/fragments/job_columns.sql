-- The columns of a job, from a row j of the view longhaul.job, and the clock.
j.id, j.definition_key, j.definition_version, j.queue, j.rank, j.state, j.params, j.max_attempts, j.timeout_seconds, j.name,
    j.correlation_id, j.labels, j.created_by, j.schedule_key, j.fire_at, j.traceparent, j.created_at, j.updated_at, j.run_at,
    j.started_at, j.finished_at, j.run, j.attempts, j.crashes, j.progress, j.progress_message, j.worker_id, j.lease_until,
    j.heartbeat_at, j.cancel_requested_at, j.cancel_reason, j.cancel_grace_millis, j.error_code, j.error_message, j.error_type,
    j.error_stack, j.result, j.status, j.secrets, longhaul.clock() as now
