-- planner: index only
-- Returns due deliveries and hides them for a while. Deliveries that were returned and not reported yet are still
-- pending, so later events of the same job wait. A failing webhook gets one at a time, and none before resume_at.
-- tries_since counts tries since the retry window began, including tries that were never reported.
with reachable as materialized (
    select w.id, w.url, w.secrets,
        case when w.failures >= :breakAfter then 1 else :mostPerWebhook end - coalesce(busy.sending, 0) as room
    from longhaul.webhook w
    left join unnest(:busyIds::uuid[], :busyCounts::int[]) as busy (id, sending) on busy.id = w.id
    where w.enabled and (w.resume_at is null or w.resume_at <= longhaul.clock())
    -- Webhooks of jobs come last if there is no room for all, because jobs may name any number of hosts, including dead
    -- ones.
    order by w.failures > 0, w.of_jobs
), due as materialized (
    select first.id, r.url, r.secrets
    from reachable r
    cross join lateral (
        select d.id
        from longhaul.webhook_delivery d
        where d.webhook_id = r.id and d.state = 0 and {first_due}
        limit greatest(r.room, 0)
        for update skip locked
    ) first
    limit :most
)
update longhaul.webhook_delivery d
set tries = d.tries + 1, next_try_at = longhaul.clock() + :hold * interval '1 microsecond'
from due
where d.id = due.id
returning {delivery_columns}, coalesce(d.url, due.url) as send_to,
    case when d.secret is null then due.secrets else array[d.secret] end as sign_with,
    case when d.tries = 1 then 1 else d.tries - coalesce((
        select max(t.number) from longhaul.webhook_try t where t.delivery_id = d.id and t.ended_at <= d.since), 0) end
        as tries_since
