-- planner: index only
-- The given claims that are still valid and whose rows another session has locked.
with claim as materialized (
    select * from unnest(:ids::uuid[], :runs::int[], :keys::uuid[]) as c (id, run, key)
), free as materialized (
    select j.id
    from claim
    join longhaul.live_job j
        -- (state + 0) hides the column from the planner, which must use the primary key and not the index of leased
        -- jobs.
        on j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
    for update of j skip locked
)
select j.id, j.run, j.lease_key
from claim
join longhaul.live_job j
    on j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
where not exists (select from free where free.id = j.id)
