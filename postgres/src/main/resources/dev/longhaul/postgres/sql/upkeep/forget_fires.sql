-- Removes a batch of fires before the cutoff.
delete from longhaul.schedule_fire f
using (
    select old.schedule_key, old.fire_at from longhaul.schedule_fire old
    where old.fired_at < :cutoff::timestamptz
    order by old.fired_at
    limit :max
) gone
where f.schedule_key = gone.schedule_key and f.fire_at = gone.fire_at
