-- Stores the webhooks of new jobs, in the same transaction, and creates the rows they share per host if they do not
-- exist.
with shared as (
    insert into longhaul.webhook (id, created_at, updated_at, url, events, secrets, of_jobs)
    select s.id, longhaul.clock(), longhaul.clock(), s.url, string_to_array(s.events, ' '), array[s.secret], true
    from unnest(:sharedIds::uuid[], :sharedUrls::text[], :sharedEvents::text[], :sharedSecrets::text[])
        as s (id, url, events, secret)
    on conflict (id) do nothing
)
insert into longhaul.job_webhook (job_id, webhook_id, url, events, secret)
select own.job_id, own.webhook_id, own.url, string_to_array(own.events, ' '), own.secret
from unnest(:jobIds::uuid[], :webhookIds::uuid[], :urls::text[], :events::text[], :secrets::text[])
    as own (job_id, webhook_id, url, events, secret)
