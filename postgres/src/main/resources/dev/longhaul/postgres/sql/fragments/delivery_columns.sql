-- The columns of a delivery, from a row d of longhaul.webhook_delivery.
d.id, d.webhook_id, d.event, d.at, d.state, d.tries, d.next_try_at, d.ended_at, d.job_id, d.position, d.definition_key,
    d.definition_version, d.queue, d.run, d.attempts, d.name, d.correlation_id, d.labels, d.error_code, d.error_message,
    d.traceparent, d.subject, d.details, d.url
