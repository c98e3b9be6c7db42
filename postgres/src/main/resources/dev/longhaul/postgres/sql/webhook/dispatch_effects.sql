-- planner: index only
-- Turns effects into deliveries, in one statement: either both change, or neither. One dispatcher at a time, because
-- two could commit the effects of one job in the wrong order. Without :wait, returns 0 while another session is
-- dispatching. Returns how many effects were found, :max when there may be more.
with alone as materialized (
    select case when :wait then pg_advisory_xact_lock(hashtext('longhaul'), hashtext('effects')) is not null
        else pg_try_advisory_xact_lock(hashtext('longhaul'), hashtext('effects')) end as yes
), first as materialized (
    -- Ordered by job and position, so that no event of a job is dispatched before an earlier one.
    select e.consumer, e.job_id, e.position
    from longhaul.job_effect e
    where (select alone.yes from alone) and e.consumer = 0
    order by e.consumer, e.job_id, e.position
    limit :max
), taken as (
    delete from longhaul.job_effect e
    using first f
    where e.consumer = f.consumer and e.job_id = f.job_id and e.position = f.position
    returning e.*
), delivery as (
    -- The column details contains the status of the ended job if the name of the event does not.
    insert into longhaul.webhook_delivery (id, webhook_id, event, at, since, next_try_at, job_id, turn, position,
        definition_key, definition_version, queue, run, attempts, name, correlation_id, labels, traceparent, error_code,
        error_message, details, url, secret)
    select gen_random_uuid(), w.webhook_id, w.event, t.available_at, t.available_at, t.available_at, t.job_id,
        2 * t.position + (w.event = 'job.ended')::int, t.position, t.definition_key, t.definition_version, t.queue, t.run,
        t.attempts, t.name, t.correlation_id, t.labels, t.traceparent, t.error_code, t.error_message,
        case when w.event = 'job.ended' then substr(t.events[1], length('job.') + 1) end, w.url, w.secret
    from taken t
    cross join lateral longhaul.webhooks_for(t.events, t.job_id, t.definition_key, t.queue, t.labels) w
)
select count(*) as effects from first
