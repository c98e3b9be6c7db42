-- planner: index only
-- The last reported sequence of the run that this claim still owns.
select j.last_sequence
from unnest(:ids::uuid[], :runs::int[], :keys::uuid[]) as claim (id, run, key)
join longhaul.live_job j
    on j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
