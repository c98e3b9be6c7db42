insert into longhaul.webhook_delivery (id, webhook_id, event, at, since, next_try_at)
select :id, w.id, 'webhook.test', longhaul.clock(), longhaul.clock(), longhaul.clock()
from longhaul.webhook w
where w.id = :webhookId and w.enabled
on conflict (id) do update set id = excluded.id
returning id, webhook_id, event, at, state, tries, next_try_at, ended_at, job_id, position, definition_key,
    definition_version, queue, run, attempts, name, correlation_id, labels, error_code, error_message, traceparent,
    subject, details, url
