-- Locks per-host webhook rows that no job or delivery references, except those an operator has edited (a secret, or
-- disabled). The lock prevents new jobs from referencing such a row before forget_shared.sql checks again.
select w.id
from longhaul.webhook w
where w.of_jobs and w.created_at < :cutoff::timestamptz and w.updated_at = w.created_at
    and not exists (select from longhaul.job_webhook own where own.webhook_id = w.id)
    and not exists (select from longhaul.webhook_delivery d where d.webhook_id = w.id)
limit :max
for update skip locked
