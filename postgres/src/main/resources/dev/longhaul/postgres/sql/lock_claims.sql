-- planner: index only
-- Locks the running jobs that these claims still own, in the order given (by id, so that batches cannot deadlock).
select j.id, j.run, j.lease_key, j.state, j.attempts, j.max_attempts, j.crashes, j.position, j.started_position,
    j.last_sequence, j.run_at, j.started_at, j.worker_id, j.definition_key, j.queue, longhaul.clock(), j.counted,
    j.progress, j.progress_message, j.begun, j.heartbeat_at
from unnest(:ids::uuid[], :runs::int[], :keys::uuid[]) as claim (id, run, key)
join longhaul.live_job j
    on j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
for update of j
