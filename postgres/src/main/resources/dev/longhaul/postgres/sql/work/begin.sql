-- planner: index only
-- Records that the code of claimed runs begins. A claim that is missing from the result is lost. Rows that another
-- session has locked are skipped, so that they cannot block the others; stored is false for them.
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
), begun as (
    update longhaul.live_job j
    set begun = true
    from free
    where j.id = free.id
    returning j.id, j.run, j.lease_key, true as stored
)
select * from begun
union all
select j.id, j.run, j.lease_key, false
from claim
join longhaul.live_job j
    on j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
-- Evaluated once per statement: usually no row was locked, and then the remaining part of this query reads nothing.
where (select count(*) from free) < (select count(*) from claim)
    and not exists (select from free where free.id = j.id)
