-- What webhooks of jobs once shared, some of it. What an operator has edited stays: a secret, or that nothing is to be sent. Locked, so that no new job comes to share it before it is looked at again.
select w.id
from longhaul.webhook w
where w.of_jobs and w.created_at < :cutoff::timestamptz and w.updated_at = w.created_at
    and not exists (select from longhaul.job_webhook own where own.webhook_id = w.id)
    and not exists (select from longhaul.webhook_delivery d where d.webhook_id = w.id)
limit :max
for update skip locked
