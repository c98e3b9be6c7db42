-- planner: index only
-- Notes what came of a try, unless the delivery was handed out again since. The webhook's row is written only when something
-- about it changes: as long as all goes well, nothing does. Answers whether the delivery is parked, and whether its webhook has
-- begun to fail or is back.
with reported as materialized (
    select p.id, p.webhook_id, p.since
    from longhaul.webhook_delivery p
    where p.id = :id and p.state = 0 and p.tries = :number
    for update
), noted as (
    -- Whoever repeats a report, because it does not know whether the first one came in, finds the try noted and changes nothing.
    insert into longhaul.webhook_try (delivery_id, number, ended_at, took_millis, status, error, head)
    select r.id, :number, longhaul.clock(), :tookMillis, :status::int, :error, :head
    from reported r
    on conflict do nothing
    returning delivery_id
), next as (
    -- Patience begins anew when somebody edits the webhook: one that was disabled for days is not given up after one more failure.
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
    -- What has to wait for it is not due before it: whoever takes deliveries would step over it again and again. Not what somebody
    -- has and may still report, which can be when an earlier event was redelivered meanwhile.
    update longhaul.webhook_delivery later
    set next_try_at = e.next_try_at
    from ended e
    where e.state = 0 and later.webhook_id = e.webhook_id and later.job_id = e.job_id and later.state = 0
        and later.turn > e.turn
        and (later.tries = 0 or exists (
            select from longhaul.webhook_try t where t.delivery_id = later.id and t.number = later.tries))
), was as (
    -- Locked before it is changed: of all who report at once, one is told that it begins to fail, and one that it is back.
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
