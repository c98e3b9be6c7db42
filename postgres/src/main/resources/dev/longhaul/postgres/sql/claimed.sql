-- planner: index only
-- The jobs held under a claim's key. Rare, so that no index on the key is worth its price: it looks at all leased jobs.
select j.id, j.definition_key, j.definition_version, j.queue, j.rank, j.params, j.max_attempts, j.timeout_seconds, j.name,
    j.correlation_id, j.labels, j.created_by, j.schedule_key, j.fire_at, j.traceparent, j.created_at, j.run_at,
    j.started_at, j.run, j.attempts, j.crashes, j.lease_until, j.error_code, j.error_message, j.error_type, j.error_stack, j.worker_id
from longhaul.live_job j
where j.state >= 2 and j.lease_key = :batch
