-- Removes a batch of deliveries: those that ended before the cutoff, those inserted while their webhook was being
-- deleted, and those that no server has tried to send for 30 days, because a database that is only used by libraries
-- has no server. Deliveries of a disabled webhook wait for an operator.
delete from longhaul.webhook_delivery
where id in (
    (select d.id from longhaul.webhook_delivery d where d.ended_at < :cutoff::timestamptz order by d.ended_at limit :max)
    union all
    (select d.id from longhaul.webhook_delivery d
    where d.state = 0 and not exists (select from longhaul.webhook w where w.id = d.webhook_id) limit :max)
    union all
    (select unsent.id
    from longhaul.webhook w
    cross join lateral (
        select d.id
        from longhaul.webhook_delivery d
        where d.webhook_id = w.id and d.state = 0
            and d.next_try_at < least(:cutoff::timestamptz, longhaul.clock() - interval '30 days')
        order by d.webhook_id, d.next_try_at, d.turn
        limit :max
    ) unsent
    where w.enabled
    limit :max))
