-- planner: index only
-- Parks a batch of deliveries that a failing webhook has not accepted within the retry window. A failing webhook gets
-- one delivery at a time as a probe: most pending deliveries are never attempted, and so never parked by their
-- attempts. Deliveries that a server is sending are due later, and stay.
with late as materialized (
    select first.id
    from longhaul.webhook w
    cross join lateral (
        select d.id
        from longhaul.webhook_delivery d
        where d.webhook_id = w.id and d.state = 0
            and d.next_try_at <= longhaul.clock() - :patience * interval '1 microsecond'
        order by d.webhook_id, d.next_try_at, d.turn
        limit :max
        for update skip locked
    ) first
    where w.enabled and w.resume_at is not null
        and w.updated_at <= longhaul.clock() - :patience * interval '1 microsecond'
    limit :max
)
update longhaul.webhook_delivery d
set state = 2, ended_at = longhaul.clock(), next_try_at = longhaul.clock()
from late
where d.id = late.id
