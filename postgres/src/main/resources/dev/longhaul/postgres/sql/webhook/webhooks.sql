select id, url, events, definition_keys, queues, labels, secrets, of_jobs, enabled, created_at, updated_at, created_by, failures,
    resume_at
from longhaul.webhook
where :id::uuid is null or id = :id::uuid
order by created_at, id
