-- Jobs, and the tables that are needed to run them. All objects are in schema longhaul, which is always written out.
-- Layout (docs/decisions/0002-table-layout.md): live jobs are in one small hot table. A job that ends moves to a table
-- that is partitioned by the day in its id, like its runs, steps and events, so that retention drops whole days.

create schema if not exists longhaul;

create table longhaul.schema_version (
    version int primary key,
    description text not null,
    applied_at timestamptz not null default now()
);

-- The clock that decides due times and leases. Stable and inlined, so that it can bound an index scan;
-- clock_timestamp() is volatile and cannot. Tests replace it with one that has an offset.
create function longhaul.clock() returns timestamptz language sql stable parallel safe
    as 'select statement_timestamp()';

-- The smallest UUIDv7 of a moment: ids created before it are smaller.
create function longhaul.lowest_id(moment timestamptz) returns uuid language sql stable parallel safe
    as $$ select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;

-- The creation time in an id.
create function longhaul.time_of(id uuid) returns timestamptz language sql immutable parallel safe
    as $$ select to_timestamp(('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint / 1000.0) $$;

-- Whether one more crash fails the job (Limits.CRASHES). Such a job runs alone, because jobs beside it would be blamed
-- for that crash. Inlined into index predicates and statements alike, so that they match. Replacing it requires new
-- indexes.
create function longhaul.on_last_life(crashes smallint) returns boolean language sql immutable parallel safe
    as 'select crashes >= 2';

-- Jobs

-- Columns are ordered by alignment; those that are mostly null come last.
-- state: 0 created, 1 waiting, 2 running, 3 cancelling (finished_job: 4 succeeded, 5 failed, 6 cancelled).
-- rank: minus the priority, so that the index of waiting jobs ascends in all its columns and can be walked by row
-- comparison.
-- position: the last event position of this job. started_position: the position of the event that starts its current
-- run.
-- counted: whether definition_limit.running includes the current run, so that the end of the run subtracts it again.
-- begun: whether the code of the current run is known to have started. If the lease of a run expires before it has
-- started, the job returns to the queue and its attempt is not spent. begin_first: the next run must store its begin
-- before its code starts, because an earlier lease expired before a begin was stored.
-- end_margin_millis: how long after the run's deadline (its timeout, or the grace period of a cancel request) the
-- leader ends the run; null for workers that enforce deadlines themselves.
-- secrets: the secret places of params and result (JobSecrets.java), stored with the job so that masking does not
-- depend on its definition. Null: none.
create table longhaul.live_job (
    id uuid not null,
    run_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    run int not null default 0,
    position int not null default 1,
    definition_version int not null,
    timeout_seconds int not null,
    state smallint not null,
    rank smallint not null,
    attempts smallint not null default 0,
    max_attempts smallint not null,
    crashes smallint not null default 0,
    progress smallint not null default 0,
    counted boolean not null default false,
    begun boolean not null default false,
    begin_first boolean not null default false,
    definition_key text collate "C" not null,
    queue text collate "C" not null,
    params text not null,
    lease_until timestamptz,
    lease_key uuid,
    started_at timestamptz,
    started_position int,
    last_sequence int,
    end_margin_millis int,
    worker_id text,
    heartbeat_at timestamptz,
    cancel_requested_at timestamptz,
    cancel_grace_millis bigint,
    fire_at timestamptz,
    name text,
    correlation_id text collate "C",
    labels text[],
    created_by text,
    schedule_key text collate "C",
    traceparent text,
    secrets text,
    progress_message text,
    cancel_reason text,
    error_code text,
    error_message text,
    error_type text,
    error_stack text,
    constraint live_job_pkey primary key (id),
    constraint live_job_state check (state between 0 and 3),
    constraint live_job_lease check ((state >= 2) = (lease_until is not null)),
    constraint live_job_owner check (state < 2 or (run > 0 and lease_key is not null and worker_id is not null
        and started_at is not null and started_position is not null)),
    constraint live_job_cancel check ((state = 3) = (cancel_requested_at is not null)),
    constraint live_job_bounds check (rank between -1000 and 1000 and progress between 0 and 100 and attempts >= 0
        and max_attempts >= 1 and crashes >= 0 and position >= 1)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- One lane per (queue, definition, version, priority): a claim steps from lane to lane, so that jobs which it may not
-- or cannot run cost it one probe, however many there are.
create index live_job_waiting on longhaul.live_job (queue, definition_key, definition_version, rank, run_at, id)
    where state = 1 and not longhaul.on_last_life(crashes);
-- A separate index, because ordinary claims do not read jobs on their last life.
create index live_job_last_life on longhaul.live_job (queue, definition_key, definition_version, rank, run_at, id)
    where state = 1 and longhaul.on_last_life(crashes);
-- Indexes the id and not lease_until: renewing a lease then changes no indexed column, and PostgreSQL updates the row
-- in place.
create index live_job_leased on longhaul.live_job (id) where state >= 2;
create index live_job_correlation on longhaul.live_job (correlation_id) where correlation_id is not null;

create table longhaul.finished_job (
    id uuid not null,
    run_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    finished_at timestamptz not null,
    run int not null,
    position int not null,
    ended_position int not null,
    ended_run int not null,
    definition_version int not null,
    timeout_seconds int not null,
    state smallint not null,
    rank smallint not null,
    attempts smallint not null,
    max_attempts smallint not null,
    crashes smallint not null,
    progress smallint not null,
    definition_key text collate "C" not null,
    queue text collate "C" not null,
    params text not null,
    result text,
    lease_key uuid,
    started_at timestamptz,
    started_position int,
    worker_id text,
    cancel_requested_at timestamptz,
    cancel_grace_millis bigint,
    fire_at timestamptz,
    name text,
    correlation_id text collate "C",
    labels text[],
    created_by text,
    schedule_key text collate "C",
    traceparent text,
    secrets text,
    progress_message text,
    cancel_reason text,
    error_code text,
    error_message text,
    error_type text,
    error_stack text,
    constraint finished_job_pkey primary key (id),
    constraint finished_job_state check (state between 4 and 6),
    constraint finished_job_result check ((state = 4) = (result is not null)),
    constraint finished_job_error check ((state = 5) = (error_code is not null)),
    constraint finished_job_bounds check (rank between -1000 and 1000 and progress between 0 and 100)
) partition by range (id);

-- Indexes for the filters of lists. Without them, a filter that few jobs match reads all jobs.
create index finished_job_definition on longhaul.finished_job (definition_key, id);
create index finished_job_queue on longhaul.finished_job (queue, id);
create index finished_job_ended_badly on longhaul.finished_job (state, id) where state > 4;
create index finished_job_correlation on longhaul.finished_job (correlation_id) where correlation_id is not null;
create index finished_job_name on longhaul.finished_job (name collate "C", id) where name is not null;
create index finished_job_labels on longhaul.finished_job using gin (labels) where labels is not null;
-- Rows of a partition are stored in the order in which their jobs finished, so a summary of a few pages is enough to
-- find them. Unlike a B-tree, this index adds almost no cost to the end of a job.
create index finished_job_created on longhaul.finished_job using brin (created_at);
create index finished_job_finished on longhaul.finished_job using brin (finished_at);
-- Most definitions have one queue. Without these statistics, the planner searches all jobs of a queue for those of a
-- definition.
create statistics longhaul.finished_job_lanes (mcv) on definition_key, queue from longhaul.finished_job;

-- Runs that the job's own row does not describe: runs before the latest one, and runs that ended otherwise than their
-- job.
-- status: 1 succeeded, 2 failed, 3 cancelled, 4 snoozed, 5 released, 6 lost.
create table longhaul.job_run (
    job_id uuid not null,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    run int not null,
    started_position int not null,
    ended_position int,
    attempt smallint not null,
    status smallint not null,
    lease_key uuid not null,
    worker_id text not null,
    error_code text,
    error_message text,
    error_type text,
    error_stack text,
    constraint job_run_pkey primary key (job_id, run),
    constraint job_run_status check (status between 1 and 6)
) partition by range (job_id);

create table longhaul.job_step (
    job_id uuid not null,
    name text collate "C" not null,
    result text not null,
    run int not null,
    number int not null,
    stored_at timestamptz not null,
    constraint job_step_pkey primary key (job_id, name)
) partition by range (job_id);

-- Events of jobs, without those that events.sql derives from jobs and runs (created, started, and how runs and jobs
-- ended).
create table longhaul.job_event (
    job_id uuid not null,
    at timestamptz not null,
    position int not null,
    run int not null,
    sequence int not null,
    type text collate "C" not null,
    payload text,
    constraint job_event_pkey primary key (job_id, position)
) partition by range (job_id);

-- Uniqueness of idempotency keys, over live and finished jobs. definition_version is 0 for the first job with a key, of
-- any version; above 0 for a job whose caller chose the version while the first job has another one.
create table longhaul.idempotency_key (
    definition_key text collate "C" not null,
    key text collate "C" not null,
    job_id uuid not null,
    definition_version int not null default 0,
    constraint idempotency_key_pkey primary key (definition_key, key, definition_version),
    constraint idempotency_key_version check (definition_version >= 0)
);
create index idempotency_key_job on longhaul.idempotency_key (job_id);

-- Leases extended while another session had the job's row locked (extend.sql). Rare and short-lived; removed by
-- retention.
create table longhaul.held_lease (
    job_id uuid primary key,
    run int not null,
    until timestamptz not null
);

-- All jobs, for reading, by Longhaul and by users.
create view longhaul.job as
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

-- Rejects ids that were created more than a day before or after now, because partitions and retention rely on the time
-- in an id. Also rejects ids of jobs that have finished. Volatile, so that its queries see rows committed after the
-- calling statement started: an insert may wait for a job with the same id, and that job may finish meanwhile.
create function longhaul.refuse_ids(ids uuid[], oldest interval) returns boolean language plpgsql volatile
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
    as $$
    declare
        lowest uuid := longhaul.lowest_id(longhaul.clock() - oldest);
        highest uuid := longhaul.lowest_id(longhaul.clock() + interval '1 day');
        newest uuid;
    begin
        if exists (select from unnest(ids) as made (id) where made.id not between lowest and highest) then
            raise exception 'an id was made too far from now' using errcode = '22023';
        end if;
        -- Most new ids are above all finished ones and need no lookup.
        select f.id into newest from longhaul.finished_job f order by f.id desc limit 1;
        if exists (select from unnest(ids) as made (id)
                where made.id <= newest and (select f.id from longhaul.finished_job f where f.id = made.id) is not null) then
            raise exception 'a job with the same id has finished' using errcode = '23505', constraint = 'finished_job_pkey';
        end if;
        return true;
    end
    $$;

-- Queues and limits

create table longhaul.queue (
    name text collate "C" primary key,
    paused_at timestamptz,
    paused_by text,
    paused_note text,
    max_depth int check (max_depth >= 0)
);

-- Definitions with a concurrency limit. Every statement that starts or ends a run updates running in its own
-- transaction: a count of rows could not be exact while claims race. A row stays when its limit is lifted (max_running
-- is null), so that the count stays correct.
create table longhaul.definition_limit (
    definition_key text collate "C" primary key,
    max_running int check (max_running >= 1),
    running int not null check (running >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100);

-- The lanes of some queues that have waiting jobs, each with the run time of its first job: one index probe per lane.
-- Returns only as many priorities of a definition, highest first, as are needed for "most" due jobs (null: all).
-- Inlined into the statements that use it.
create function longhaul.lanes(queues text[], most int)
    returns table (queue text, definition_key text, definition_version int, rank smallint, run_at timestamptz)
    language sql stable
    as $$
        with recursive lane as (
            select first.*, 0::bigint as due_before
            from unnest(queues) as wanted (name)
            cross join lateral (
                select j.queue, j.definition_key, j.definition_version, j.rank, j.run_at
                from longhaul.live_job j
                where j.state = 1 and not longhaul.on_last_life(j.crashes) and j.queue = wanted.name
                order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
                limit 1
            ) first
            union all
            select next.*, case when next.definition_key = lane.definition_key
                and next.definition_version = lane.definition_version then coalesce(covered.jobs, 0) else 0 end
            from lane
            cross join lateral (
                select j.queue, j.definition_key, j.definition_version, j.rank, j.run_at
                from longhaul.live_job j
                where j.state = 1 and not longhaul.on_last_life(j.crashes) and j.queue = lane.queue
                    and (j.definition_key, j.definition_version, j.rank)
                        > (lane.definition_key, lane.definition_version, lane.rank)
                order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
                limit 1
            ) neighbour
            cross join lateral (
                -- Jobs are counted only if a lower priority of the same definition follows.
                select case when most is not null and neighbour.definition_key = lane.definition_key
                    and neighbour.definition_version = lane.definition_version
                    then lane.due_before + (
                        select count(*)
                        from (
                            select from longhaul.live_job j
                            where j.state = 1 and not longhaul.on_last_life(j.crashes) and j.queue = lane.queue
                                and j.definition_key = lane.definition_key
                                and j.definition_version = lane.definition_version and j.rank = lane.rank
                                and j.run_at <= longhaul.clock()
                            order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
                            limit most
                        ) due
                    ) end as jobs
                -- Prevents the planner from computing this once per use.
                offset 0
            ) covered
            cross join lateral (
                select neighbour.* where covered.jobs is null or covered.jobs < most
                union all
                (
                    select j.queue, j.definition_key, j.definition_version, j.rank, j.run_at
                    from longhaul.live_job j
                    where covered.jobs >= most and j.state = 1 and not longhaul.on_last_life(j.crashes) and j.queue = lane.queue
                        and (j.definition_key, j.definition_version) > (lane.definition_key, lane.definition_version)
                    order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
                    limit 1
                )
            ) next
        )
        select queue, definition_key, definition_version, rank, run_at from lane
    $$;

-- The lanes of jobs on their last life. There are few of these jobs, so that skipping some of their lanes would gain
-- nothing.
create function longhaul.last_life_lanes(queues text[], most int)
    returns table (queue text, definition_key text, definition_version int, rank smallint, run_at timestamptz)
    language sql stable
    as $$
        select j.queue, j.definition_key, j.definition_version, j.rank, min(j.run_at)
        from longhaul.live_job j
        where j.state = 1 and longhaul.on_last_life(j.crashes) and j.queue = any (queues)
        group by j.queue, j.definition_key, j.definition_version, j.rank
    $$;

-- Definitions and workers

-- registered_by: the API key that registered it; null when the definition belongs to code in a process with database
-- access.
create table longhaul.definition (
    definition_key text collate "C" not null,
    definition_version int not null,
    timeout_seconds int not null,
    concurrency_limit int not null,
    max_attempts smallint not null,
    queue text collate "C" not null,
    params_schema text not null,
    result_schema text not null,
    updated_at timestamptz not null,
    registered_by text,
    constraint definition_pkey primary key (definition_key, definition_version),
    constraint definition_names check (definition_key ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'
        and queue ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
    constraint definition_bounds check (definition_version >= 1 and timeout_seconds between 1 and 30 * 24 * 3600
        and concurrency_limit >= 0 and max_attempts between 1 and 1000),
    constraint definition_schemas check (octet_length(params_schema) <= 65536 and octet_length(result_schema) <= 65536)
);

-- Fields that an operator declares. Separate from the registered fields, so that a declaration sets only the fields it
-- names and can be withdrawn. Null: not set.
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

-- Effective definitions: declared fields over registered ones. Null where neither is set: Java's default applies.
create view longhaul.known_definition as
select definition_key, definition_version, coalesce(d.params_schema, r.params_schema) as params_schema,
    coalesce(d.result_schema, r.result_schema) as result_schema, coalesce(d.queue, r.queue) as queue,
    coalesce(d.max_attempts, r.max_attempts) as max_attempts,
    coalesce(d.timeout_seconds, r.timeout_seconds) as timeout_seconds,
    coalesce(d.concurrency_limit, r.concurrency_limit) as concurrency_limit,
    d.declared_by, greatest(d.updated_at, r.updated_at) as updated_at, r.registered_by
from longhaul.definition r
full join longhaul.declared_definition d using (definition_key, definition_version);

-- Processes that claim jobs. gone_at: when the process shut down in an orderly way. stuck: threads whose code ignores
-- its interrupt. Rewritten every few seconds, so pages have free space for updates.
create table longhaul.worker (
    id text collate "C" primary key,
    started_at timestamptz not null,
    last_seen_at timestamptz not null,
    gone_at timestamptz,
    pid bigint not null,
    slots int not null,
    running int not null,
    stuck int not null default 0,
    draining boolean not null,
    host text not null,
    version text not null,
    queues text[] not null,
    definitions text[] not null,
    constraint worker_times check (started_at <= last_seen_at and (gone_at is null or gone_at <= last_seen_at)),
    constraint worker_bounds check (length(id) between 1 and 200 and slots >= 0 and running >= 0)
) with (fillfactor = 50);

-- Definitions whose jobs have hooks: code to run once they have ended.
create table longhaul.hooked_definition (
    definition_key text collate "C" primary key
);

-- Effects outbox (docs/decisions/0034-effects.md): transitions of jobs that a consumer subscribes to, inserted by the
-- statements of the transitions and deleted by the consumer.
-- consumer: 0 webhooks, whose effects become deliveries (dispatch_effects.sql); 1 hooks of ended jobs.
-- position: the position of the transition among the job's events. For hooks always 0, so that a job that was retried
-- and ended again before its hooks ran has one row.
-- available_at: the time of the transition; for hooks the time from which on any worker may run them.
-- events: the names under which webhooks subscribe to the transition, the most specific first. This and the columns
-- after it describe the job at that time.
create table longhaul.job_effect (
    job_id uuid not null,
    available_at timestamptz not null,
    position int not null,
    run int not null,
    definition_version int not null,
    attempts smallint not null,
    consumer smallint not null,
    definition_key text collate "C" not null,
    queue text collate "C" not null,
    events text[] not null,
    name text,
    correlation_id text collate "C",
    labels text[],
    traceparent text,
    error_code text,
    error_message text,
    constraint job_effect_pkey primary key (consumer, job_id, position),
    constraint job_effect_consumer check (consumer between 0 and 1)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index job_effect_hooks on longhaul.job_effect (definition_key, definition_version, available_at) where consumer = 1;

-- Leadership and failover

-- One row: the process that runs the maintenance tasks which only one process may run. epoch rises whenever leadership
-- is taken. looked_at and looked_before are the last two times that a leader reached the database. steady_since is when
-- the current period without a gap began: in it, the owners of leases could renew them (lead.sql).
create table longhaul.leader (
    one boolean primary key default true check (one),
    holder text not null,
    epoch bigint not null,
    term_until timestamptz not null,
    looked_at timestamptz not null,
    looked_before timestamptz,
    steady_since timestamptz not null
) with (fillfactor = 50);

-- The timeline of the database (docs/decisions/0025-failover.md). A row replicated under an older timeline shows that a
-- standby has been promoted since, also to processes that started later.
create table longhaul.database_timeline (
    one boolean primary key default true check (one),
    timeline int not null,
    since timestamptz not null
);

insert into longhaul.schema_version (version, description) values (1, 'jobs');
