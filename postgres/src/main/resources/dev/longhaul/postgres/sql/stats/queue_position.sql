-- planner: index only
-- Why a waiting job has not started: its queue's pause, its definition's limit, and the due jobs ahead of it. The due
-- jobs are counted lane by lane, so that jobs that are not due cost nothing.
select q.paused_at, q.paused_by, q.paused_note, l.max_running, least(:most, coalesce(ahead.jobs, 0)) as ahead,
    least(:most, coalesce(ahead.higher, 0)) as ahead_by_priority,
    (select count(*) from longhaul.live_job o where o.state >= 2 and o.definition_key = j.definition_key) as running
from longhaul.live_job j
left join longhaul.queue q on q.name = j.queue
left join longhaul.definition_limit l on l.definition_key = j.definition_key
cross join lateral (
    select sum(due.jobs) as jobs, sum(due.jobs) filter (where lane.rank < j.rank) as higher
    from longhaul.lanes(array[j.queue], null) lane
    cross join lateral (
        select count(*) as jobs
        from (
            select from longhaul.live_job o
            where o.state = 1 and not longhaul.on_last_life(o.crashes) and o.queue = lane.queue
                and o.definition_key = lane.definition_key and o.definition_version = lane.definition_version
                and o.rank = lane.rank and o.run_at <= longhaul.clock()
                and (lane.rank < j.rank or (o.run_at, o.id) < (j.run_at, j.id))
            limit :most
        ) first
    ) due
    where j.state = 1 and lane.rank <= j.rank and lane.run_at <= longhaul.clock()
) ahead
where j.id = :id
