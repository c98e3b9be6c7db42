-- planner: index only
-- Locks runs whose leases lapsed before a given time. Reads all leased jobs, because an index on lease_until would cost every renewal.
select j.id, j.run, j.lease_key, j.state, j.attempts, j.max_attempts, j.crashes, j.position, j.started_position,
    j.last_sequence, j.run_at, j.started_at, j.worker_id, j.definition_key, j.queue, longhaul.clock(), j.counted,
    j.progress, j.progress_message, j.begun, j.heartbeat_at
from longhaul.live_job j
where j.state >= 2 and j.lease_until <= least(:lapsedBefore::timestamptz, longhaul.clock()) and j.id > :after::uuid
    -- Extended while its row was locked (extend.sql).
    and not exists (
        select from longhaul.held_lease h
        where h.job_id = j.id and h.run = j.run and h.until > least(:lapsedBefore::timestamptz, longhaul.clock()))
order by j.id
limit :max
for update skip locked
