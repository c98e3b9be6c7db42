-- planner: index only
-- Sends deliveries now, with new patience: those of the earliest events first, and what happened at the same time together, so that
-- no event of a job is handed out before an earlier one that is yet to come. {state} is written out, because what is parked has an
-- index of its own.
with picked as materialized (
    select d.id, d.at
    from longhaul.webhook_delivery d
    where d.webhook_id = :webhookId and d.state = {state}
        and d.at >= coalesce(:from::timestamptz, '-infinity') and d.at < coalesce(:before::timestamptz, 'infinity')
    order by d.webhook_id, d.at
    fetch first (:max) rows with ties
), again as (
    -- Somebody else may do the same: whoever comes second finds them pending. What is pending and under way stays as it is
    -- (redeliver.sql). (state + 0): hidden from the planner, which must take the primary key and not all that is parked for each
    -- of them.
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
