-- planner: index only
-- The jobs held under a claim's key. Reads all leased jobs: this statement is rare, so an index on the key is not worth
-- its cost.
select {job_columns}, held.begun, held.begin_first
from longhaul.live_job held
cross join lateral (select * from longhaul.job where job.id = held.id offset 0) j
where held.state >= 2 and held.lease_key = :batch
