-- planner: index only
-- Claims due jobs: highest priority first, then earliest run time, then smallest id. Claims either ordinary jobs or
-- jobs on their last life. That condition is a literal and not a parameter, because each kind has its own index.
with recursive hold as materialized (
    -- Held until the claim is committed, so that a caller that lost the response can wait for its end
    -- (wait_for_batch.sql).
    select pg_advisory_xact_lock(:batchLock)
), lane as materialized (
    -- Lanes for which the caller knows a floor. The scan starts at the floor and skips entries of jobs claimed long
    -- ago, which stay in the index while a session holds an old snapshot (see ClaimFloor).
    select l.queue, l.definition_key, l.definition_version, l.rank, l.floor,
        d.definition_key is not null as counted
    from hold
    cross join (
        select w.queue, w.definition_key, w.definition_version, w.rank, '-infinity'::timestamptz as floor
        from longhaul.{lanes}(case when :walk then :queues::text[] else '{}' end, :max::int) w
        where w.run_at <= longhaul.clock()
        union all
        select k.queue, k.definition_key, k.definition_version, k.rank, k.floor
        from unnest(:laneQueues::text[], :laneKeys::text[], :laneVersions::int[], :laneRanks::smallint[],
            :laneFloors::timestamptz[]) as k (queue, definition_key, definition_version, rank, floor)
    ) l
    left join longhaul.definition_limit d on d.definition_key = l.definition_key
    where (d.max_running is null or d.running < d.max_running)
        and (:anyDefinition or exists (
            select from unnest(:keys::text[], :versions::int[]) as known (key, version)
            where known.key = l.definition_key and known.version = l.definition_version))
        and not exists (select from longhaul.queue q where q.name = l.queue and q.paused_at is not null)
), alone as materialized (
    -- A single lane without a limit needs no merge: its first jobs are taken.
    select count(*) = 1 and not bool_or(lane.counted) as yes from lane
), candidate as materialized (
    -- The first due jobs of each lane, not locked yet: which of them are taken is only known after the lanes are
    -- merged. With many lanes each contributes fewer than :max, so that the merge stays small; "last" marks where such
    -- a lane was cut.
    select lane.queue, lane.definition_key, lane.definition_version, lane.rank, lane.floor, lane.counted,
        due.run_at, due.id, due.nth = depth.jobs and depth.jobs < :max as last
    from (select least(:max, greatest(64, 2 * :max / greatest(count(*), 1))) as jobs from lane) depth
    cross join lane
    cross join lateral (
        select j.run_at, j.id, row_number() over (order by j.run_at, j.id) as nth
        from longhaul.live_job j
        where j.state = 1 and longhaul.on_last_life(j.crashes) = {last_life} and j.queue = lane.queue
            and j.definition_key = lane.definition_key and j.definition_version = lane.definition_version and j.rank = lane.rank
            and j.run_at >= lane.floor and j.run_at <= longhaul.clock()
        order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
        limit depth.jobs
    ) due
    where not (select alone.yes from alone)
), room as materialized (
    -- Waits for transactions that start or end runs of the same limited definition, then sees the newest count. No
    -- deadlock: transactions that hold this row skip locked jobs, and those that hold jobs' rows lock this row last
    -- (lock_counters.sql).
    select l.definition_key, coalesce(l.max_running - l.running, :max) as free
    from longhaul.definition_limit l
    where (l.running < l.max_running or l.max_running is null)
        and l.definition_key in (select c.definition_key from candidate c where c.counted)
    order by l.definition_key
    for update
), eligible as materialized (
    select c.queue, c.definition_key, c.definition_version, c.rank, c.floor, c.counted, c.run_at, c.id, c.last
    from candidate c
    where not c.counted
    union all
    select c.queue, c.definition_key, c.definition_version, c.rank, c.floor, c.counted, c.run_at, c.id, c.last
    from (
        select c.*, room.free,
            row_number() over (partition by c.definition_key order by c.rank, c.run_at, c.id) as nth
        from room
        join candidate c on c.definition_key = room.definition_key and c.counted
    ) c
    where c.nth <= c.free
), share as materialized (
    -- How many of the best jobs each lane provides: at most :max in all. Jobs behind the first point where a lane was
    -- cut are left out, because that lane might have better ones.
    select best.queue, best.definition_key, best.definition_version, best.rank, best.floor, best.counted, count(*) as jobs
    from (
        select e.*
        from eligible e
        where not exists (select from eligible cut where cut.last)
            or (e.rank, e.run_at, e.id) <= (
                select cut.rank, cut.run_at, cut.id from eligible cut where cut.last
                order by cut.rank, cut.run_at, cut.id limit 1)
        order by e.rank, e.run_at, e.id
        limit :max
    ) best
    group by best.queue, best.definition_key, best.definition_version, best.rank, best.floor, best.counted
    union all
    select lane.queue, lane.definition_key, lane.definition_version, lane.rank, lane.floor, lane.counted, :max
    from lane
    where (select alone.yes from alone)
), picked as materialized (
    -- Scans each lane again, now with locks, and skips jobs that other claims have locked: concurrent claims share a
    -- lane's jobs instead of competing for its first ones.
    select due.id, share.counted
    from share
    cross join lateral (
        select j.id
        from longhaul.live_job j
        where j.state = 1 and longhaul.on_last_life(j.crashes) = {last_life} and j.queue = share.queue
            and j.definition_key = share.definition_key and j.definition_version = share.definition_version and j.rank = share.rank
            and j.run_at >= share.floor and j.run_at <= longhaul.clock()
        order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
        limit share.jobs
        for update skip locked
    ) due
), claimed as (
    update longhaul.live_job j
    set state = 2, run = j.run + 1, attempts = j.attempts + 1, lease_key = :batch,
        lease_until = longhaul.clock() + :lease * interval '1 microsecond', worker_id = :worker,
        started_at = longhaul.clock(), updated_at = longhaul.clock(), heartbeat_at = null,
        position = j.position + 1, started_position = j.position + 1, last_sequence = null,
        progress = 0, progress_message = null, counted = picked.counted, end_margin_millis = :endMargin::int,
        -- 0: no run; 1: all runs that may lose an attempt; 2: all runs (ClaimRequest.Begin).
        begun = case :begin::int when 0 then false when 1 then j.max_attempts > 1 and not j.begin_first else true end
    from picked
    where j.id = picked.id
    returning {claimed_columns}
), happened as not materialized (
    {run_started}
), noted as (
    {note_effects}
), counter as (
    update longhaul.definition_limit l
    set running = l.running + started.jobs
    from (select c.definition_key, count(*) as jobs from claimed c where c.counted group by c.definition_key) started
    where l.definition_key = started.definition_key
)
select * from claimed
