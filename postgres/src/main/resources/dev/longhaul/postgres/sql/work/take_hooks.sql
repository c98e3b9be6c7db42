-- planner: index only
-- Hands out jobs whose hooks are due, longest due first, and hides them for a while. One look per definition, so that hooks
-- nobody here knows cost nothing, however many there are.
with candidate as materialized (
    select due.job_id, due.available_at
    from unnest(:keys::text[], :versions::int[]) as known (key, version)
    cross join lateral (
        select h.job_id, h.available_at
        from longhaul.due_hook h
        where h.definition_key = known.key and h.definition_version = known.version
            and h.available_at <= longhaul.clock()
        order by h.definition_key, h.definition_version, h.available_at
        limit :max
    ) due
), taken as materialized (
    -- Looks at the time again once a row is locked: another caller may have taken it since.
    select h.job_id
    from (select c.job_id from candidate c order by c.available_at, c.job_id limit :max) first
    join longhaul.due_hook h on h.job_id = first.job_id
    where h.available_at <= longhaul.clock()
    for update of h skip locked
)
update longhaul.due_hook h
set available_at = longhaul.clock() + :hold * interval '1 microsecond'
from taken t
where h.job_id = t.job_id
returning h.job_id
