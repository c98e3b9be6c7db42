-- Who is told over HTTP of what happens to jobs, and what is to be sent to them: an outbox, written in the statement of the
-- transition itself (docs/decisions/0015-webhook-outbox.md).

-- definition_keys, queues, labels: null for all. secrets sign what is sent, and so are kept as they are.
-- failures: in a row; from some number on nothing is sent before resume_at, and then one at a time.
create table longhaul.webhook (
    id uuid primary key,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    resume_at timestamptz,
    failures int not null default 0,
    enabled boolean not null default true,
    url text not null,
    events text[] not null,
    definition_keys text[],
    queues text[],
    labels text[],
    secrets text[] not null,
    created_by text,
    constraint webhook_url check (url ~ '^https?://' and length(url) <= 2000),
    constraint webhook_lists check (cardinality(events) >= 1 and cardinality(secrets) between 1 and 2),
    constraint webhook_failures check (failures >= 0)
) with (fillfactor = 50);

-- state: 0 pending, 1 delivered, 2 parked. turn: the order among the events of one job. since: when its patience began.
-- The rest is what was known of the job when it happened; subject and details are for what is not about one job. No foreign key to the webhook: one that is deleted meanwhile would make
-- the transition of a job fail.
create table longhaul.webhook_delivery (
    id uuid primary key,
    webhook_id uuid not null,
    at timestamptz not null,
    since timestamptz not null,
    next_try_at timestamptz not null,
    ended_at timestamptz,
    tries int not null default 0,
    state smallint not null default 0,
    event text collate "C" not null,
    job_id uuid,
    turn int not null default 0,
    position int,
    definition_version int,
    run int,
    attempts int,
    definition_key text collate "C",
    queue text collate "C",
    name text,
    correlation_id text collate "C",
    labels text[],
    error_code text,
    error_message text,
    traceparent text,
    subject text collate "C",
    details text,
    constraint webhook_delivery_state check (state between 0 and 2 and (state = 0) = (ended_at is null)),
    constraint webhook_delivery_tries check (tries >= 0)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create index webhook_delivery_due on longhaul.webhook_delivery (webhook_id, next_try_at, turn) where state = 0;
create index webhook_delivery_turn on longhaul.webhook_delivery (webhook_id, job_id, turn) where state = 0;
create index webhook_delivery_parked on longhaul.webhook_delivery (webhook_id) where state = 2;
create index webhook_delivery_newest on longhaul.webhook_delivery (webhook_id, at, id);
create index webhook_delivery_age on longhaul.webhook_delivery (ended_at) where ended_at is not null;

create table longhaul.webhook_try (
    delivery_id uuid not null references longhaul.webhook_delivery (id) on delete cascade,
    number int not null,
    ended_at timestamptz not null,
    took_millis bigint not null,
    status int,
    error text,
    head text,
    constraint webhook_try_pkey primary key (delivery_id, number)
);

-- The webhooks that want to hear of one of these events about such a job. Inlined into the statements that use it.
create function longhaul.webhooks_for(happened text[], job_definition_key text, job_queue text, job_labels text[])
    returns table (webhook_id uuid, event text) language sql stable
    as $$
        select w.id, wanted.event
        from longhaul.webhook w
        cross join lateral unnest(w.events) as wanted (event)
        where w.enabled and wanted.event = any (happened)
            and (w.definition_keys is null or job_definition_key = any (w.definition_keys))
            and (w.queues is null or job_queue = any (w.queues))
            and (w.labels is null or job_labels @> w.labels)
    $$;

insert into longhaul.schema_version (version, description) values (7, 'webhooks');
