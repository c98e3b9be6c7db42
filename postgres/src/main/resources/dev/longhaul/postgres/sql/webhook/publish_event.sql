-- Inserts deliveries of an event that concerns no single job, for every webhook that subscribes to it.
insert into longhaul.webhook_delivery (id, webhook_id, event, at, since, next_try_at, definition_key, queue, labels, subject,
    details)
select gen_random_uuid(), w.webhook_id, w.event, longhaul.clock(), longhaul.clock(), longhaul.clock(), :definitionKey, :queue,
    :labels::text[], :subject, :details
from longhaul.webhooks_for(array[:event], :definitionKey, :queue, :labels::text[]) w
