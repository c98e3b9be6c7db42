-- planner: index only
-- Counts deliveries. A delivery that cannot be sent now does not count as late: its webhook is disabled or failing, or
-- it waits for an earlier event of its job. Uses the same search as take_deliveries.sql.
select (select count(*) from longhaul.webhook_delivery where state = 0) as pending,
    (select count(*) from longhaul.webhook_delivery where state = 2) as parked,
    (select min(oldest.next_try_at)
    from longhaul.webhook w
    cross join lateral (
        select d.next_try_at from longhaul.webhook_delivery d
        where d.webhook_id = w.id and d.state = 0 and {first_due}
        limit 1) oldest
    where w.enabled and w.resume_at is null) as oldest,
    (select count(*)
    from longhaul.webhook w
    where w.enabled and w.resume_at is not null
        and exists (select from longhaul.webhook_delivery d where d.webhook_id = w.id and d.state = 0 offset 0)) as failing
