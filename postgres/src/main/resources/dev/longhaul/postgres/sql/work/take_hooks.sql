-- planner: index only
-- Returns jobs whose hooks are due, longest due first, and hides them for a while. Scans the hooks of each requested
-- definition separately, so that hooks of other definitions cost nothing.
with candidate as materialized (
    select due.consumer, due.job_id, due.position, due.available_at
    from unnest(:keys::text[], :versions::int[]) as known (key, version)
    cross join lateral (
        select h.consumer, h.job_id, h.position, h.available_at
        from longhaul.job_effect h
        where h.consumer = 1 and h.definition_key = known.key and h.definition_version = known.version
            and h.available_at <= longhaul.clock()
        order by h.definition_key, h.definition_version, h.available_at
        limit :max
    ) due
), taken as materialized (
    -- Checks the time again once a row is locked, because another caller may have taken the hooks. The consumer is read
    -- from the candidate: with a constant, the planner may use the index of hooks and read all of them for each row.
    select h.consumer, h.job_id, h.position
    from (select c.* from candidate c order by c.available_at, c.job_id limit :max) first
    join longhaul.job_effect h
        on h.consumer = first.consumer and h.job_id = first.job_id and h.position = first.position
    where h.available_at <= longhaul.clock()
    for update of h skip locked
)
update longhaul.job_effect h
set available_at = longhaul.clock() + :hold * interval '1 microsecond'
from taken t
where h.consumer = t.consumer and h.job_id = t.job_id and h.position = t.position
returning h.job_id
