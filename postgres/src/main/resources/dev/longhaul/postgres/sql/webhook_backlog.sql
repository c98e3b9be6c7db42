-- What waits for a webhook that is disabled is not late.
select (select count(*) from longhaul.webhook_delivery where state = 0),
    (select count(*) from longhaul.webhook_delivery where state = 2),
    (select min(oldest.next_try_at)
    from longhaul.webhook w
    cross join lateral (
        select d.next_try_at from longhaul.webhook_delivery d
        where d.webhook_id = w.id and d.state = 0 and d.next_try_at <= longhaul.clock()
        order by d.next_try_at
        limit 1) oldest
    where w.enabled),
    (select count(*)
    from longhaul.webhook w
    where w.enabled and w.resume_at is not null
        and exists (select from longhaul.webhook_delivery d where d.webhook_id = w.id and d.state = 0))
