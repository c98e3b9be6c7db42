-- planner: index only
-- Stores new jobs, all or none. Returns how many jobs it stored, and the clock. Zero means that one of the queues is
-- bounded, and that the caller must check its depth first. The usual values are those of the first job. An array is
-- empty if all its values are the usual ones: unnest fills it up with nulls. Deferred jobs may have older ids than other
-- new jobs; the creation time of those that do is the time in the id, because lists search by both.
with stored as (
    insert into longhaul.live_job (id, run_at, created_at, updated_at, definition_version, timeout_seconds, state, rank,
        max_attempts, definition_key, queue, params, name, correlation_id, labels, created_by, schedule_key, fire_at,
        traceparent, secrets)
    select g.id,
        greatest(longhaul.clock(),
            coalesce(g.run_at, longhaul.clock() + coalesce(g.delay, 0) * interval '1 microsecond')),
        case when :deferred and g.id < longhaul.lowest_id(longhaul.clock() - interval '1 day')
            then longhaul.time_of(g.id) else longhaul.clock() end,
        longhaul.clock(), coalesce(g.version, :usualVersion), coalesce(g.timeout, :usualTimeout),
        case when g.hold then 0 else 1 end, coalesce(g.rank, :usualRank), coalesce(g.max_attempts, :usualAttempts),
        coalesce(g.key, :usualKey), coalesce(g.queue, :usualQueue), g.params, g.name,
        g.correlation_id, string_to_array(g.labels, E'\n'), g.created_by, g.schedule_key, g.fire_at, g.traceparent, g.secrets
    from unnest(:ids::uuid[], :keys::text[], :versions::int[], :queues::text[], :ranks::smallint[], :params::text[],
        :runAts::timestamptz[], :delays::bigint[], :maxAttempts::smallint[], :timeouts::int[], :holds::boolean[],
        :names::text[], :correlationIds::text[], :labels::text[], :createdBys::text[], :scheduleKeys::text[],
        :fireAts::timestamptz[], :traceparents::text[], :secrets::text[])
        as g (id, key, version, queue, rank, params, run_at, delay, max_attempts, timeout, hold, name, correlation_id,
            labels, created_by, schedule_key, fire_at, traceparent, secrets)
    where :bounded or not exists (
        select from longhaul.queue q where q.name = any (:queueNames::text[]) and q.max_depth is not null)
    returning id
)
-- The jobs are in the table now. One of them may have finished already: then this insert is a retry.
select count(*) as jobs, longhaul.clock() as now, longhaul.refuse_ids(array_agg(stored.id), :oldest * interval '1 second')
from stored
