-- planner: index only
-- Locks the running jobs that these claims still own, in the order given (by id, so that batches cannot deadlock).
select {run_columns}
from unnest(:ids::uuid[], :runs::int[], :keys::uuid[]) as claim (id, run, key)
join longhaul.live_job j
    on j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
for update of j
