-- planner: index only
-- Records the result of an attempt, unless another process has taken the delivery since. The webhook's row is written
-- only when it changes; it does not change while deliveries succeed. Returns whether the delivery is parked, and
-- whether its webhook has begun to fail or has recovered.
with reported as materialized (
    select p.id, p.webhook_id, p.since
    from longhaul.webhook_delivery p
    where p.id = :id and p.state = 0 and p.tries = :number
    for update
), noted as (
    -- A repeated report, sent because the response to the first one was lost, finds the attempt recorded and changes
    -- nothing.
    insert into longhaul.webhook_try (delivery_id, number, ended_at, took_millis, status, error, head)
    select r.id, :number, longhaul.clock(), :tookMillis, :status::int, :error, :head
    from reported r
    on conflict do nothing
    returning delivery_id
), next as (
    -- The retry window restarts when the webhook is edited, so that a webhook that was disabled for days is not given
    -- up after one more failure.
    select r.id, case when :succeeded then 1
        when longhaul.clock() + :pause * interval '1 microsecond'
            > greatest(r.since, w.updated_at) + :patience * interval '1 microsecond' then 2
        else 0 end as state
    from reported r
    join noted n on n.delivery_id = r.id
    left join longhaul.webhook w on w.id = r.webhook_id
), ended as (
    update longhaul.webhook_delivery d
    set state = next.state, ended_at = case when next.state = 0 then null else longhaul.clock() end,
        next_try_at = case when next.state = 0 then longhaul.clock() + :pause * interval '1 microsecond'
            else longhaul.clock() end
    from next
    where d.id = next.id
    returning d.id, d.webhook_id, d.job_id, d.turn, d.state, d.next_try_at
), behind as (
    -- Later deliveries of the same job are postponed too, so that take_deliveries.sql does not skip them repeatedly.
    -- Deliveries that a server is sending and may still report are excluded; such deliveries exist if an earlier event
    -- was redelivered.
    update longhaul.webhook_delivery later
    set next_try_at = e.next_try_at
    from ended e
    where e.state = 0 and later.webhook_id = e.webhook_id and later.job_id = e.job_id and later.state = 0
        and later.turn > e.turn
        and (later.tries = 0 or exists (
            select from longhaul.webhook_try t where t.delivery_id = later.id and t.number = later.tries))
), was as (
    -- Locks the webhook before changing it, so that of concurrent reports exactly one finds that the webhook begins to
    -- fail, and exactly one that it has recovered.
    select w.id, w.failures
    from ended e
    join longhaul.webhook w on w.id = e.webhook_id
    where not :succeeded or w.failures > 0
    for no key update of w
), counted as (
    update longhaul.webhook w
    set failures = case when :succeeded then 0 else w.failures + 1 end,
        resume_at = case when not :succeeded and w.failures + 1 >= :breakAfter
            then longhaul.clock() + :breakFor * interval '1 microsecond' end
    from was
    where w.id = was.id
)
select e.state = 2 as parked, not :succeeded and was.failures + 1 = :breakAfter as begins_to_fail,
    :succeeded and was.failures >= :breakAfter as recovered
from ended e
left join was on true
