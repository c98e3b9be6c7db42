-- planner: index only
-- Leases one job whose row is locked and found waiting, and after it the counter of its definition (lock_limit.sql). Answers
-- as claim.sql does.
with claimed as (
    update longhaul.live_job j
    set state = 2, run = j.run + 1, attempts = j.attempts + 1, lease_key = :key,
        lease_until = longhaul.clock() + :lease * interval '1 microsecond', worker_id = :worker,
        started_at = longhaul.clock(), updated_at = longhaul.clock(), heartbeat_at = null,
        position = j.position + 1, started_position = j.position + 1, last_sequence = null,
        progress = 0, progress_message = null, counted = :counted, end_margin_millis = null,
        begun = j.max_attempts > 1 and not j.begin_first
    where j.id = :id and (j.state + 0) = 1
    returning {claimed_columns}
), told as (
    insert into longhaul.webhook_delivery (id, webhook_id, event, at, since, next_try_at, job_id, turn, position,
        definition_key, definition_version, queue, run, attempts, name, correlation_id, labels, traceparent, url,
        secret)
    select gen_random_uuid(), w.webhook_id, w.event, c.started_at, c.started_at, c.started_at, c.id, 2 * c.position,
        c.position, c.definition_key, c.definition_version, c.queue, c.run, c.attempts, c.name, c.correlation_id, c.labels,
        c.traceparent, w.url, w.secret
    from claimed c
    cross join lateral longhaul.webhooks_for('{job.started}', c.id, c.definition_key, c.queue, c.labels) w
    where (select true from longhaul.webhook limit 1)
), counter as (
    update longhaul.definition_limit l
    set running = l.running + 1
    from claimed c
    where c.counted and l.definition_key = c.definition_key
)
select * from claimed
