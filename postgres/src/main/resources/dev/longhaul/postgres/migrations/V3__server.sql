-- Tables that servers need in addition to jobs: API keys, sessions, the audit trail, statistics and webhooks.

-- hash: SHA-256 of the secret, which is stored nowhere. queues: the queues whose jobs a worker's key may dequeue; empty
-- for all.
create table longhaul.api_key (
    id uuid primary key,
    created_at timestamptz not null,
    last_used_at timestamptz,
    revoked_at timestamptz,
    name text collate "C" not null,
    role text collate "C" not null,
    hash bytea not null,
    queues text[] not null default '{}',
    created_by text,
    revoked_by text,
    constraint api_key_hash unique (hash),
    constraint api_key_secret check (octet_length(hash) = 32),
    constraint api_key_name check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
    constraint api_key_role check (role in ('viewer', 'submitter', 'operator', 'admin', 'worker')),
    constraint api_key_queues check (role = 'worker' or queues = '{}'),
    constraint api_key_revoked check ((revoked_at is null) = (revoked_by is null))
);

create table longhaul.session (
    hash bytea primary key,
    key_id uuid not null references longhaul.api_key (id),
    expires_at timestamptz not null,
    constraint session_secret check (octet_length(hash) = 32)
);
create index session_expires on longhaul.session (expires_at);
create index session_key on longhaul.session (key_id);

-- actor_key_id: the id of the caller's key, because names repeat. Entries are only ever inserted: not even the table's
-- owner can change or delete one without granting itself the right first.
create table longhaul.audit_entry (
    id uuid primary key,
    at timestamptz not null,
    actor text not null,
    actor_key_id uuid,
    action text not null,
    subject text not null,
    detail text
);
create index audit_entry_newest on longhaul.audit_entry (at, id);
revoke update, delete, truncate on longhaul.audit_entry from current_user;

-- Run statistics for charts (docs/decisions/0014-dashboard.md). Every process counts its own runs and writes a row per
-- queue and definition under its own source, so that no process waits for the row of another.
-- seconds: the interval of a row, 10 (kept for a day) or 300 (kept for 30 days). The arrays are histograms: lengths,
-- and how often each was seen.
create table longhaul.run_stats (
    at timestamptz not null,
    source uuid not null,
    seconds smallint not null,
    succeeded int not null,
    failed int not null,
    retried int not null,
    cancelled int not null,
    queue text collate "C" not null,
    definition_key text collate "C" not null,
    wait_steps smallint[] not null,
    wait_counts int[] not null,
    run_steps smallint[] not null,
    run_counts int[] not null,
    constraint run_stats_pkey primary key (seconds, at, source, queue, definition_key),
    constraint run_stats_seconds check (seconds in (10, 300))
) with (fillfactor = 70);

-- Webhooks (docs/decisions/0015-webhook-outbox.md). Deliveries are created from effects (job_effect in V1__jobs.sql).

-- definition_keys, queues, labels: null for all. secrets sign deliveries, and so are stored in plain text.
-- failures: how many deliveries have failed in a row. Too many failures stop deliveries until resume_at; then they are
-- sent one at a time.
-- of_jobs: whether the row is shared by the webhooks of jobs that lead to one host. It then stores whether the host can
-- be reached, and the secret for webhooks without their own.
create table longhaul.webhook (
    id uuid primary key,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    resume_at timestamptz,
    failures int not null default 0,
    enabled boolean not null default true,
    of_jobs boolean not null default false,
    url text not null,
    events text[] not null,
    definition_keys text[],
    queues text[],
    labels text[],
    secrets text[] not null,
    created_by text,
    constraint webhook_url check (url ~ '^(https?://|kafka:)' and length(url) <= 2000),
    constraint webhook_lists check (cardinality(events) >= 1 and cardinality(secrets) between 1 and 2),
    constraint webhook_failures check (failures >= 0)
) with (fillfactor = 50);

-- The webhooks that every job is compared with. Shared rows of webhooks of jobs are excluded, because jobs may name any
-- number of hosts.
create index webhook_subscription on longhaul.webhook (id) where not of_jobs;

-- Webhooks that were requested with a job.
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

-- state: 0 pending, 1 delivered, 2 parked. turn: the order among the events of one job. since: when its retry window
-- began. The columns from job_id to traceparent describe the job at the time of the event; subject and details are for
-- events that concern no single job. url and secret are copied from the job's own webhook, because the delivery may
-- outlive the job. No foreign key to the
-- webhook: a webhook may be deleted while its effects are dispatched.
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
    url text,
    secret text,
    constraint webhook_delivery_state check (state between 0 and 2 and (state = 0) = (ended_at is null)),
    constraint webhook_delivery_tries check (tries >= 0)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create index webhook_delivery_due on longhaul.webhook_delivery (webhook_id, next_try_at, turn) where state = 0;
create index webhook_delivery_turn on longhaul.webhook_delivery (webhook_id, job_id, turn) where state = 0;
-- Parked deliveries by time, to list and redeliver them in parts without reading the delivered ones.
create index webhook_delivery_parked on longhaul.webhook_delivery (webhook_id, at, id) where state = 2;
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

-- The webhooks that subscribe to one of these events of a job with these properties. Inlined into the statements that
-- use it.
create function longhaul.webhooks_for(happened text[], job_definition_key text, job_queue text, job_labels text[])
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

-- The same, plus the webhook that was requested with the job. Inlined, too.
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

-- How far writers have stored the log of an intake (docs/decisions/0040-intake.md). writer: who may store the partition.
create table longhaul.intake_progress (
    partition int primary key,
    next_offset bigint not null default 0,
    at timestamptz not null default 'epoch',
    writer text not null,
    constraint intake_progress_offset check (next_offset >= 0)
);

-- Jobs that were accepted while the database was unavailable, and whose idempotency key another job already had.
create table longhaul.intake_alias (
    id uuid primary key,
    first_id uuid not null
);

insert into longhaul.schema_version (version, description) values (3, 'server');
