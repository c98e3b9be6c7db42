-- planner: index only
-- Renews leases like extend.sql, but waits for locked rows until its lock timeout.
update longhaul.live_job j
set lease_until = longhaul.clock() + :lease * interval '1 microsecond', heartbeat_at = longhaul.clock()
from unnest(:ids::uuid[], :runs::int[], :keys::uuid[]) as claim (id, run, key)
-- (state + 0) hides the column from the planner, which must use the primary key and not the index of leased jobs.
where j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
returning j.id, j.run, j.lease_key, j.cancel_requested_at, j.cancel_reason, j.cancel_grace_millis
