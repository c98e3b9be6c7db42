-- Adds or changes a webhook and resets its failure counts.
insert into longhaul.webhook as w (id, created_at, updated_at, enabled, url, events, definition_keys, queues, labels, secrets,
    created_by)
values (:id, longhaul.clock(), longhaul.clock(), :enabled, :url, :events::text[], :definitionKeys::text[], :queues::text[],
    :labels::text[], :secrets::text[], :by)
on conflict (id) do update
set updated_at = excluded.updated_at, enabled = excluded.enabled, url = excluded.url, events = excluded.events,
    definition_keys = excluded.definition_keys, queues = excluded.queues, labels = excluded.labels,
    secrets = excluded.secrets, failures = 0, resume_at = null
