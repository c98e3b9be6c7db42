-- Sends a delivery that has ended once more, with new patience.
update longhaul.webhook_delivery
set state = 0, ended_at = null, since = longhaul.clock(), next_try_at = longhaul.clock()
where id = :id and state <> 0
returning id, webhook_id, event, at, state, tries, next_try_at, ended_at, job_id, position, definition_key,
    definition_version, queue, run, attempts, name, correlation_id, labels, error_code, error_message, traceparent,
    subject, details, url
