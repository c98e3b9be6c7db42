-- What a cluster knows beside its jobs: definitions, workers, keys, sessions, and the trail of what was done.

-- declared_by: the operator who said so; what workers register changes only definitions that nobody has declared.
create table longhaul.definition (
    definition_key text collate "C" not null,
    definition_version int not null,
    timeout_seconds int not null,
    concurrency_limit int not null,
    max_attempts smallint not null,
    queue text collate "C" not null,
    params_schema text not null,
    result_schema text not null,
    declared_by text,
    updated_at timestamptz not null,
    constraint definition_pkey primary key (definition_key, definition_version),
    constraint definition_names check (definition_key ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'
        and queue ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
    constraint definition_bounds check (definition_version >= 1 and timeout_seconds between 1 and 30 * 24 * 3600
        and concurrency_limit >= 0 and max_attempts between 1 and 1000),
    constraint definition_schemas check (octet_length(params_schema) <= 65536 and octet_length(result_schema) <= 65536)
);

-- Processes that claim. gone_at: when one ended in an orderly way. Rewritten every few seconds, so there is room for that.
create table longhaul.worker (
    id text collate "C" primary key,
    started_at timestamptz not null,
    last_seen_at timestamptz not null,
    gone_at timestamptz,
    pid bigint not null,
    slots int not null,
    running int not null,
    draining boolean not null,
    host text not null,
    version text not null,
    queues text[] not null,
    definitions text[] not null,
    constraint worker_times check (started_at <= last_seen_at and (gone_at is null or gone_at <= last_seen_at)),
    constraint worker_bounds check (length(id) between 1 and 200 and slots >= 0 and running >= 0)
) with (fillfactor = 50);

-- hash: SHA-256 of the secret, which is nowhere kept.
create table longhaul.api_key (
    id uuid primary key,
    created_at timestamptz not null,
    last_used_at timestamptz,
    revoked_at timestamptz,
    name text collate "C" not null,
    role text collate "C" not null,
    hash bytea not null,
    created_by text,
    revoked_by text,
    constraint api_key_hash unique (hash),
    constraint api_key_secret check (octet_length(hash) = 32),
    constraint api_key_name check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
    constraint api_key_role check (role in ('viewer', 'submitter', 'operator', 'admin', 'worker')),
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

create table longhaul.audit_entry (
    id uuid primary key,
    at timestamptz not null,
    actor text not null,
    action text not null,
    subject text not null,
    detail text
);
create index audit_entry_newest on longhaul.audit_entry (at, id);

insert into longhaul.schema_version (version, description) values (3, 'server');
