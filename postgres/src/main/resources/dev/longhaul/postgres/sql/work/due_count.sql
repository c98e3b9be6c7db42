-- planner: index only
-- How many due jobs wait in these lanes.
select coalesce(sum(due.jobs), 0) as jobs
from unnest(:queues::text[], :keys::text[], :versions::int[], :ranks::smallint[])
    as lane (queue, definition_key, definition_version, rank)
cross join lateral (
    select count(*) as jobs
    from longhaul.live_job j
    where j.state = 1 and not longhaul.on_last_life(j.crashes) and j.queue = lane.queue and j.definition_key = lane.definition_key
        and j.definition_version = lane.definition_version and j.rank = lane.rank and j.run_at <= longhaul.clock()
) due
