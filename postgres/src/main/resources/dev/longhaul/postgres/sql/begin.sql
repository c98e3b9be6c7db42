-- planner: index only
-- Stores that the code of claimed runs begins. A claim that is missing from the result is lost.
update longhaul.live_job j
set begun = true
from unnest(:ids::uuid[], :runs::int[], :keys::uuid[]) as claim (id, run, key)
-- (state + 0): hidden from the planner, which must take the primary key and not the index of leased jobs.
where j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
returning j.id, j.run, j.lease_key
