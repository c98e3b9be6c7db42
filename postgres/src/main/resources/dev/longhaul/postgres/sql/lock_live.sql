-- planner: index only
-- Locks one live job, whatever its state.
select j.id, j.run, j.lease_key, j.state, j.attempts, j.max_attempts, j.crashes, j.position, j.started_position,
    j.last_sequence, j.run_at, j.started_at, j.worker_id, j.definition_key, j.queue, longhaul.clock(), j.counted,
    j.progress, j.progress_message, j.begun, j.heartbeat_at
from longhaul.live_job j
where j.id = :id
for update
