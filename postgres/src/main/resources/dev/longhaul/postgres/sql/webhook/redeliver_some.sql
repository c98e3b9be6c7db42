-- planner: index only
-- Sends deliveries now, with a fresh retry window: the deliveries of the earliest events first, and those of the same
-- time together, so that no event of a job is sent before an earlier one. {state} is a literal, because parked
-- deliveries have their own index.
with picked as materialized (
    select d.id, d.at
    from longhaul.webhook_delivery d
    where d.webhook_id = :webhookId and d.state = {state}
        and d.at >= coalesce(:from::timestamptz, '-infinity') and d.at < coalesce(:before::timestamptz, 'infinity')
    order by d.webhook_id, d.at
    fetch first (:max) rows with ties
), again as (
    -- Checks the state again, because a concurrent redelivery may have made the deliveries pending. Deliveries that are
    -- being sent stay unchanged (redeliver.sql). (state + 0) hides the column from the planner, which must use the
    -- primary key and not read all parked deliveries per row.
    update longhaul.webhook_delivery d
    set state = 0, ended_at = null, since = longhaul.clock(), next_try_at = longhaul.clock()
    from picked p
    where d.id = p.id and (d.state + 0) = {state}
        and ({state} <> 0 or d.tries = 0 or d.next_try_at <= longhaul.clock()
            or exists (select from longhaul.webhook_try t where t.delivery_id = d.id and t.number = d.tries))
    returning d.id
)
select (select count(*) from again) as redelivered,
    case when count(*) >= :max then max(p.at) + interval '1 microsecond' end as next_from
from picked p
