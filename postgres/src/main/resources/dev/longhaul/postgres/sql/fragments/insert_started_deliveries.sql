-- A delivery for each webhook that subscribes to the start of a run, of the rows of "claimed" (claimed_columns.sql).
insert into longhaul.webhook_delivery (id, webhook_id, event, at, since, next_try_at, job_id, turn, position,
        definition_key, definition_version, queue, run, attempts, name, correlation_id, labels, traceparent, url,
        secret)
    select gen_random_uuid(), w.webhook_id, w.event, c.started_at, c.started_at, c.started_at, c.id, 2 * c.position,
        c.position, c.definition_key, c.definition_version, c.queue, c.run, c.attempts, c.name, c.correlation_id, c.labels,
        c.traceparent, w.url, w.secret
    from claimed c
    cross join lateral longhaul.webhooks_for('{job.started}', c.id, c.definition_key, c.queue, c.labels) w
