-- Sends a delivery now, with a fresh retry window, unless a server is sending it and may still report it. A delivery
-- that is being sent has no record of its latest attempt, and its next attempt is in the future. A failed attempt of
-- this or an earlier delivery, which is recorded, also sets the next attempt in the future.
with asked as materialized (
    select d.id, d.webhook_id, d.job_id, d.turn, d.state, d.next_try_at
    from longhaul.webhook_delivery d
    where d.id = :id
        and (d.state <> 0 or d.tries = 0 or d.next_try_at <= longhaul.clock()
            or exists (select from longhaul.webhook_try t where t.delivery_id = d.id and t.number = d.tries))
    for update
), behind as (
    -- Later deliveries postponed by its failure (delivery_tried.sql) need not wait any longer either.
    update longhaul.webhook_delivery later
    set next_try_at = longhaul.clock()
    from asked a
    where a.state = 0 and later.webhook_id = a.webhook_id and later.job_id = a.job_id and later.state = 0
        and later.turn > a.turn and later.next_try_at = a.next_try_at and later.next_try_at > longhaul.clock()
)
update longhaul.webhook_delivery d
set state = 0, ended_at = null, since = longhaul.clock(), next_try_at = longhaul.clock()
from asked a
where d.id = a.id
returning {delivery_columns}
