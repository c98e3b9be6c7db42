-- Removes some deliveries that ended before the cutoff, and some that were noted while their webhook was being deleted.
delete from longhaul.webhook_delivery
where id in (
    (select d.id from longhaul.webhook_delivery d where d.ended_at < :cutoff::timestamptz order by d.ended_at limit :max)
    union all
    (select d.id from longhaul.webhook_delivery d
    where d.state = 0 and not exists (select from longhaul.webhook w where w.id = d.webhook_id) limit :max))
