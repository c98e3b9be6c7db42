-- Stores new jobs, all or none. Answers how many it stored and by which clock; none means that one of them needs a closer
-- look (a bounded queue, an id made far from now), which the caller then takes.
-- Arrays that would hold only defaults come empty: unnest fills them up with nulls.
with given as materialized (
    select g.*, longhaul.clock() as now
    from unnest(:ids::uuid[], :keys::text[], :versions::int[], :queues::text[], :ranks::smallint[], :params::text[],
        :runAts::timestamptz[], :delays::bigint[], :maxAttempts::smallint[], :timeouts::int[], :holds::boolean[],
        :names::text[], :correlationIds::text[], :labels::text[], :createdBys::text[], :scheduleKeys::text[],
        :fireAts::timestamptz[], :traceparents::text[])
        as g (id, key, version, queue, rank, params, run_at, delay, max_attempts, timeout, hold, name, correlation_id,
            labels, created_by, schedule_key, fire_at, traceparent)
), plain as materialized (
    select (:bounded or not exists (
            select from longhaul.queue q where q.name = any (:queueNames::text[]) and q.max_depth is not null))
        and bool_and(
            -- Subqueries, so that the bounds are worked out once and not for every row.
            g.id between (select longhaul.lowest_id(longhaul.clock() - interval '1 day'))
                and (select longhaul.lowest_id(longhaul.clock() + interval '1 day'))
            -- A scalar subquery, not a join: the planner cannot turn it into a hash over all finished jobs.
            and (select f.id from longhaul.finished_job f where f.id = g.id) is null) as all_are
    from given g
), stored as (
    insert into longhaul.live_job (id, run_at, created_at, updated_at, definition_version, timeout_seconds, state, rank,
        max_attempts, definition_key, queue, params, name, correlation_id, labels, created_by, schedule_key, fire_at,
        traceparent)
    select id, greatest(now, coalesce(run_at, now + coalesce(delay, 0) * interval '1 microsecond')), now, now,
        coalesce(version, :usualVersion), coalesce(timeout, 3600), case when hold then 0 else 1 end, coalesce(rank, 0),
        coalesce(max_attempts, 3), coalesce(key, :usualKey), coalesce(queue, :usualQueue), params, name, correlation_id,
        string_to_array(labels, E'\n'), created_by, schedule_key, fire_at, traceparent
    from given
    where (select p.all_are from plain p)
    returning id
)
-- The jobs are in the table now. One of them may have finished in an earlier life: an insert that is being repeated.
select count(*), longhaul.clock(), longhaul.refuse_finished(array_agg(stored.id)) from stored
