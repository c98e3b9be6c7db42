-- planner: index only
-- Renews leases and returns cancel requests. A claim that is missing from the result is lost. Rows that another session
-- has locked are skipped, so that they cannot make other leases expire; their leases are extended in held_lease. The
-- last column is false if such a lease had already expired: then the reaper may have locked the row.
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
), renewed as (
    update longhaul.live_job j
    set lease_until = longhaul.clock() + :lease * interval '1 microsecond', heartbeat_at = longhaul.clock()
    from free
    where j.id = free.id
    returning j.id, j.run, j.lease_key, j.cancel_requested_at, j.cancel_reason, j.cancel_grace_millis, true as sure
), busy as materialized (
    select j.id, j.run, j.lease_key, j.cancel_requested_at, j.cancel_reason, j.cancel_grace_millis,
        j.lease_until > longhaul.clock() or exists (
            select from longhaul.held_lease h
            where h.job_id = j.id and h.run = j.run and h.until > longhaul.clock()) as sure
    from claim
    join longhaul.live_job j
        on j.id = claim.id and j.run = claim.run and j.lease_key = claim.key and (j.state + 0) >= 2
    -- Evaluated once per statement: usually no row was locked, and then the remaining part of this query reads nothing.
    where (select count(*) from free) < (select count(*) from claim)
        and not exists (select from free where free.id = j.id)
), held as (
    insert into longhaul.held_lease as h (job_id, run, until)
    select busy.id, busy.run, longhaul.clock() + :lease * interval '1 microsecond'
    from busy
    on conflict (job_id) do update set run = excluded.run, until = excluded.until
)
select * from renewed
union all
select * from busy
