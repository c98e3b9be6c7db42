-- planner: index only
-- Locks runs whose leases expired before a given time. Reads all leased jobs, because an index on lease_until would
-- cost every renewal.
select {run_columns}
from longhaul.live_job j
where j.state >= 2 and j.lease_until <= least(:lapsedBefore::timestamptz, longhaul.clock()) and j.id > :after::uuid
    -- Excludes leases that were extended while their row was locked (extend.sql).
    and not exists (
        select from longhaul.held_lease h
        where h.job_id = j.id and h.run = j.run and h.until > least(:lapsedBefore::timestamptz, longhaul.clock()))
order by j.id
limit :max
for update skip locked
