-- planner: index only
-- Jobs that are held until the jobs of earlier fires of their schedule have ended, with those jobs. Held jobs do not
-- wait for backfilled jobs (cause 2), but for jobs whose fire was removed by retention.
select h.id, h.schedule_key, h.fire_at,
    coalesce((select s.overlap = 'CANCEL_PREVIOUS' from longhaul.schedule s where s.key = h.schedule_key), false)
        as cancels_previous,
    array(
        select j.id from longhaul.live_job j
        where j.schedule_key = h.schedule_key and j.fire_at < h.fire_at and coalesce((
            select f.cause < 2 from longhaul.schedule_fire f
            where f.schedule_key = j.schedule_key and f.fire_at = j.fire_at), true)) as ahead
from longhaul.live_job h
where h.schedule_key is not null and h.state = 0 and (h.fire_at, h.id) > (:afterFire::timestamptz, :afterId::uuid)
order by h.fire_at, h.id
limit :max
