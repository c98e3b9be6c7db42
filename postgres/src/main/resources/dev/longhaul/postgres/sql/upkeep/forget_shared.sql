-- Removes the rows locked by lock_idle_shared.sql, unless a new job references them.
delete from longhaul.webhook w
where w.id = any (:ids::uuid[])
    and not exists (select from longhaul.job_webhook own where own.webhook_id = w.id)
    and not exists (select from longhaul.webhook_delivery d where d.webhook_id = w.id)
