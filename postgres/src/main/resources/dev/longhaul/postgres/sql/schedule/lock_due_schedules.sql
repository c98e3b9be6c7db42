-- planner: index only
-- Due schedules, longest due first, if this process is the leader. They stay locked, and no other process can become
-- the leader, until the transaction ends. The timeout ends the session of a process that is suspended in between, so
-- that it does not block other processes for long. fired: requested fires that the schedule must not repeat. going,
-- held: jobs of its fires that have not ended, without those of backfills (cause 2), but including those whose fire was
-- removed by retention. A schedule that another session has locked is being edited; a version other than that in this
-- statement's snapshot means that it was just edited, so that fired and going may be outdated. Both stay due.
with leadership as materialized (
    select set_config('idle_in_transaction_session_timeout', '5s', true)
    from longhaul.leader l
    where l.holder = :holder and l.epoch = :epoch
    for share
)
select {schedule_columns},
    array(select f.fire_at from longhaul.schedule_fire f where f.schedule_key = s.key and f.fire_at >= s.next_fire_at) as fired,
    j.going, j.held
from (
    select s.* from longhaul.schedule s
    where s.next_fire_at is not null and s.next_fire_at <= longhaul.clock() and (:key::text is null or s.key = :key)
    order by s.next_fire_at
    limit :max
    for update skip locked
) s
join longhaul.schedule seen on seen.key = s.key and seen.version = s.version
-- Joined after the schedules, so that the leader's row is not locked while no schedule is due. "version > 0" is always
-- true and "offset 0" skips no row: with them the subquery depends on s and is not pulled up, so that it cannot be read
-- before the schedules.
cross join lateral (select from leadership where s.version > 0 offset 0) leadership
cross join lateral (
    select count(*) filter (where j.state > 0) as going, count(*) filter (where j.state = 0) as held
    from longhaul.live_job j
    where s.overlap <> 'ALLOW' and j.schedule_key = s.key and coalesce((
        select f.cause < 2 from longhaul.schedule_fire f where f.schedule_key = j.schedule_key and f.fire_at = j.fire_at), true)
    offset 0
) j
