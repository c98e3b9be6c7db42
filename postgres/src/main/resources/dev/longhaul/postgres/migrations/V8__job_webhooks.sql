-- Webhooks that are asked for with a job (docs/decisions/0015-webhook-outbox.md).

-- of_jobs: what the webhooks of jobs share that lead to one host: whether it can be reached, and the secret of those that bring none.
alter table longhaul.webhook add column of_jobs boolean not null default false;

-- What every job is held against, once there is a webhook at all: jobs may name as many hosts as they like, and those are not in it.
create index webhook_subscription on longhaul.webhook (id) where not of_jobs;

create table longhaul.job_webhook (
    job_id uuid primary key,
    webhook_id uuid not null references longhaul.webhook (id) on delete cascade,
    url text not null,
    events text[] not null,
    secret text,
    constraint job_webhook_url check (url ~ '^https?://' and length(url) <= 2000),
    constraint job_webhook_events check (cardinality(events) >= 1)
);

create index job_webhook_webhook on longhaul.job_webhook (webhook_id);

-- What the job brought along, copied: the delivery may outlive the job.
alter table longhaul.webhook_delivery add column url text, add column secret text;

create or replace function longhaul.webhooks_for(happened text[], job_definition_key text, job_queue text, job_labels text[])
    returns table (webhook_id uuid, event text) language sql stable
    as $$
        select w.id, wanted.event
        from longhaul.webhook w
        cross join lateral unnest(w.events) as wanted (event)
        where w.enabled and not w.of_jobs and wanted.event = any (happened)
            and (w.definition_keys is null or job_definition_key = any (w.definition_keys))
            and (w.queues is null or job_queue = any (w.queues))
            and (w.labels is null or job_labels @> w.labels)
    $$;

-- And the one that was asked for with the job. Inlined like the other.
create function longhaul.webhooks_for(happened text[], job uuid, job_definition_key text, job_queue text, job_labels text[])
    returns table (webhook_id uuid, event text, url text, secret text) language sql stable
    as $$
        select w.webhook_id, w.event, null::text, null::text
        from longhaul.webhooks_for(happened, job_definition_key, job_queue, job_labels) w
        union all
        select own.webhook_id, wanted.event, own.url, own.secret
        from longhaul.job_webhook own
        join longhaul.webhook shared on shared.id = own.webhook_id and shared.enabled
        cross join lateral unnest(own.events) as wanted (event)
        where own.job_id = job and wanted.event = any (happened)
    $$;

insert into longhaul.schema_version (version, description) values (8, 'webhooks of jobs');
