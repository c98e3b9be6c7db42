-- planner: index only
-- Parks some of what a failing webhook has not taken for so long. Who fails is given one delivery at a time, to see whether it is back:
-- most of what waits is never tried, and so never parked by its tries. What somebody has is due later, and stays.
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
