-- planner: index only
-- What stands before a waiting job: its queue's pause, its definition's limit, and due jobs that are handed out first. Those are
-- counted lane by lane, so that jobs which are not due cost nothing.
select q.paused_at, q.paused_by, q.paused_note, l.max_running,
    case when j.state = 1 then least(:most, (
        select coalesce(sum(ahead.jobs), 0)
        from longhaul.lanes(array[j.queue], null) lane
        cross join lateral (
            select count(*) as jobs
            from (
                select from longhaul.live_job o
                where o.state = 1 and o.crashes < 2 and o.queue = lane.queue and o.definition_key = lane.definition_key
                    and o.definition_version = lane.definition_version and o.rank = lane.rank
                    and o.run_at <= longhaul.clock()
                    and (lane.rank < j.rank or (o.run_at, o.id) < (j.run_at, j.id))
                limit :most
            ) first
        ) ahead
        where lane.rank <= j.rank and lane.run_at <= longhaul.clock())) else 0 end as ahead,
    case when j.state = 1 then least(:most, (
        select coalesce(sum(ahead.jobs), 0)
        from longhaul.lanes(array[j.queue], null) lane
        cross join lateral (
            select count(*) as jobs
            from (
                select from longhaul.live_job o
                where o.state = 1 and o.crashes < 2 and o.queue = lane.queue and o.definition_key = lane.definition_key
                    and o.definition_version = lane.definition_version and o.rank = lane.rank
                    and o.run_at <= longhaul.clock()
                limit :most
            ) first
        ) ahead
        where lane.rank < j.rank and lane.run_at <= longhaul.clock())) else 0 end as ahead_by_priority,
    (select count(*) from longhaul.live_job o where o.state >= 2 and o.definition_key = j.definition_key) as running
from longhaul.live_job j
left join longhaul.queue q on q.name = j.queue
left join longhaul.definition_limit l on l.definition_key = j.definition_key
where j.id = :id
