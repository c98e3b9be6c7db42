-- planner: index only
-- Reads the highest sequence number of the events that the run has reported; no row if the claim is lost.
select j.last_sequence
from unnest(:ids::uuid[], :runs::int[], :keys::uuid[]) as claim (id, run, key)
join longhaul.live_job j
    on j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
