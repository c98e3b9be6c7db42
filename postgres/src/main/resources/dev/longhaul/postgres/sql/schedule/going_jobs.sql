-- planner: index only
-- How many jobs of these schedules wait or run, and how many are held. Those that make up for the past (cause 2) do not count; those whose
-- fire has been forgotten do.
select wanted.key, j.going, j.held
from unnest(:keys::text[]) as wanted (key)
cross join lateral (
    select count(*) filter (where j.state > 0) as going, count(*) filter (where j.state = 0) as held
    from longhaul.live_job j
    where j.schedule_key = wanted.key and coalesce((
        select f.cause < 2 from longhaul.schedule_fire f where f.schedule_key = j.schedule_key and f.fire_at = j.fire_at), true)
    offset 0
) j
where j.going + j.held > 0
