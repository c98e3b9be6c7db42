-- planner: index only
-- Stores the progress and events of runs. Returns the claims that were saved. A missing claim is lost, or its events
-- were sent before: its first sequence is not above the last stored one. A null first sequence was checked under the
-- row's lock.
with claim as materialized (
    select *
    from unnest(:ids::uuid[], :runs::int[], :keys::uuid[], :progresses::smallint[], :messages::text[], :progressPayloads::text[],
        :firsts::int[], :lasts::int[], :counts::int[])
        with ordinality as c (id, run, key, progress, message, payload, first, last, events, nth)
), held as materialized (
    -- Locks rows in the order given (by id, so that batches cannot deadlock) and reads them after the lock, so that
    -- positions rise in commit order. now is not before updated_at: while the statement waits for a lock, the lock's
    -- holder may store a later time.
    select c.*, j.position, j.last_sequence, greatest(longhaul.clock(), j.updated_at) as now, case
            when c.progress <> j.progress or (c.progress is not null and c.message is distinct from j.progress_message)
            then 1 else 0 end as changed
    from claim c
    join longhaul.live_job j
        -- (state + 0) hides the column from the planner, which must use the primary key and not the index of leased
        -- jobs.
        on j.id = c.id and j.run = c.run and j.lease_key = c.key and (j.state + 0) >= 2
    where c.first is null or c.first > coalesce(j.last_sequence, 0)
    for update of j
), base as materialized (
    -- Uses a map, because a join without an index would compare every event with every claim.
    select jsonb_object_agg(h.nth, h.position + h.changed) as positions, max(h.now) as now from held h
), stored as (
    insert into longhaul.job_event (job_id, position, run, sequence, type, at, payload)
    select h.id, h.position + 1, h.run, 0, 'progress', h.now, h.payload
    from held h
    where h.changed = 1
    union all
    select e.job_id, (base.positions ->> e.nth::text)::int + e.place, e.run, e.sequence, e.type,
        coalesce(e.at, base.now), e.payload
    from base
    cross join unnest(:nths::int[], :eventIds::uuid[], :eventRuns::int[], :places::int[], :sequences::int[], :types::text[],
        :ats::timestamptz[], :payloads::text[]) as e (nth, job_id, run, place, sequence, type, at, payload)
    where base.positions -> e.nth::text is not null
)
update longhaul.live_job j
set progress = coalesce(h.progress, j.progress),
    progress_message = case when h.progress is null then j.progress_message else h.message end,
    position = h.position + h.changed + h.events, last_sequence = greatest(h.last_sequence, h.last),
    updated_at = h.now, begun = true
from held h
where j.id = h.id
returning j.id, j.run, j.lease_key
