-- Fixes for what the reviews of version 9 found. Each section names the part of Longhaul it belongs to.

-- Workers: threads whose code ignores its interrupt.
alter table longhaul.worker add column stuck integer not null default 0;
-- Audit trail: the id of the caller's key, because names repeat. Entries are only ever inserted: not even the owner of the table
-- changes or deletes one without granting itself the right first.
alter table longhaul.audit_entry add column actor_key_id uuid;
revoke update, delete, truncate on longhaul.audit_entry from current_user;

-- Idempotency keys per version. definition_version is 0 for the first job with a key, of whatever version; above 0 for a job
-- whose version was chosen by its caller while the first job has another one.
alter table longhaul.idempotency_key add column definition_version int not null default 0;
alter table longhaul.idempotency_key drop constraint idempotency_key_pkey;
alter table longhaul.idempotency_key
    add constraint idempotency_key_pkey primary key (definition_key, key, definition_version),
    add constraint idempotency_key_version check (definition_version >= 0);

-- The timeline of the database (docs/decisions/0025-failover.md): a row that was replicated under an older one tells that a standby
-- has been promoted since, also to processes that were started later.
create table longhaul.database_timeline (
    one boolean primary key default true check (one),
    timeline int not null,
    since timestamptz not null
);

insert into longhaul.schema_version (version, description) values (10, 'hardening');

-- Job lists filtered by finish time. Rows of a partition are stored in the order in which their jobs finished, so that the
-- summary of a few pages finds them; unlike a B-tree it costs a finishing job next to nothing.
create index finished_job_finished on longhaul.finished_job using brin (finished_at);

-- Runs of remote workers. end_margin_millis: how long after the run's deadline (its timeout, or the grace period of a cancel
-- request) the leader ends the run; null for workers that enforce deadlines themselves.
alter table longhaul.live_job add column end_margin_millis int;

-- Secrets: the secret places of params and result are stored with the job (JobSecrets.java), so that masking does not depend on what
-- becomes of its definition. Null: none, or the job is older; then the current schema alone counts.
alter table longhaul.live_job add column secrets text;
alter table longhaul.finished_job add column secrets text;
alter table longhaul.schedule add column secrets text;

create or replace view longhaul.job as
select id, definition_key, definition_version, queue, rank, state, params, max_attempts, timeout_seconds, name,
    correlation_id, labels, created_by, schedule_key, fire_at, traceparent, created_at, updated_at, run_at, started_at,
    null::timestamptz as finished_at, run, attempts, crashes, progress, progress_message, worker_id, lease_until,
    heartbeat_at, cancel_requested_at, cancel_reason, cancel_grace_millis, error_code, error_message, error_type,
    error_stack, null::text as result,
    case state
        when 0 then 'created'
        when 1 then case
            when run_at <= longhaul.clock() then 'queued'
            when attempts > 0 then 'retrying'
            else 'scheduled' end
        when 2 then 'running'
        else 'cancelling' end as status,
    secrets
from longhaul.live_job
union all
select id, definition_key, definition_version, queue, rank, state, params, max_attempts, timeout_seconds, name,
    correlation_id, labels, created_by, schedule_key, fire_at, traceparent, created_at, updated_at, run_at, started_at,
    finished_at, run, attempts, crashes, progress, progress_message, worker_id, null::timestamptz,
    null::timestamptz, cancel_requested_at, cancel_reason, cancel_grace_millis, error_code, error_message, error_type,
    error_stack, result,
    case state when 4 then 'succeeded' when 5 then 'failed' else 'cancelled' end,
    secrets
from longhaul.finished_job;

-- Definitions: what an operator declares is kept apart from what workers register, so that a declaration sets only what it names
-- and can be taken back. Null in a declaration: not set.
create table longhaul.declared_definition (
    definition_key text collate "C" not null,
    definition_version int not null,
    timeout_seconds int,
    concurrency_limit int,
    max_attempts smallint,
    queue text collate "C",
    params_schema text,
    result_schema text,
    declared_by text not null,
    updated_at timestamptz not null,
    constraint declared_definition_pkey primary key (definition_key, definition_version),
    constraint declared_definition_names check (definition_key ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'
        and queue ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
    constraint declared_definition_bounds check (definition_version >= 1
        and timeout_seconds between 1 and 30 * 24 * 3600 and concurrency_limit >= 0 and max_attempts between 1 and 1000),
    constraint declared_definition_schemas check (octet_length(params_schema) <= 65536
        and octet_length(result_schema) <= 65536)
);

-- Until now a declaration replaced the registration, which comes back when a worker starts. The rows stay as they are for processes
-- of version 9 that still run; definition.declared_by has no meaning from now on.
insert into longhaul.declared_definition (definition_key, definition_version, timeout_seconds, concurrency_limit,
    max_attempts, queue, params_schema, result_schema, declared_by, updated_at)
select definition_key, definition_version, timeout_seconds, concurrency_limit, max_attempts, queue, params_schema,
    result_schema, declared_by, updated_at
from longhaul.definition
where declared_by is not null;

-- registered_by: the API key that registered it; null when the definition belongs to code in a process with access to the database.
alter table longhaul.definition add column registered_by text;

-- What counts: what was declared, over what was registered, over the defaults.
create view longhaul.known_definition as
select definition_key, definition_version, coalesce(d.params_schema, r.params_schema, 'true') as params_schema,
    coalesce(d.result_schema, r.result_schema, 'true') as result_schema, coalesce(d.queue, r.queue, 'default') as queue,
    coalesce(d.max_attempts, r.max_attempts, 3) as max_attempts,
    coalesce(d.timeout_seconds, r.timeout_seconds, 3600) as timeout_seconds,
    coalesce(d.concurrency_limit, r.concurrency_limit, 0) as concurrency_limit,
    d.declared_by, greatest(d.updated_at, r.updated_at) as updated_at, r.registered_by
from longhaul.definition r
full join longhaul.declared_definition d using (definition_key, definition_version);

-- Claims. begun: whether the code of the current run is known to have started; a run that has not goes back unspent when its
-- lease lapses. begin_first: its next run must store its begin before its code starts, because it lapsed unbegun before.
-- Runs of an older version that are under way count as begun.
alter table longhaul.live_job add column begun boolean not null default true,
    add column begin_first boolean not null default false;
alter table longhaul.live_job alter column begun set default false;

-- Leases extended while another session had the job's row locked. Rare and short-lived; removed by retention.
create table longhaul.held_lease (
    job_id uuid primary key,
    run int not null,
    until timestamptz not null
);
