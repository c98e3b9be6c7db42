-- What webhooks of jobs once shared, some of it. Locked, so that no new job comes to share it before it is looked at again.
select w.id
from longhaul.webhook w
where w.of_jobs and w.updated_at < :cutoff::timestamptz
    and not exists (select from longhaul.job_webhook own where own.webhook_id = w.id)
    and not exists (select from longhaul.webhook_delivery d where d.webhook_id = w.id)
limit :max
for update skip locked
