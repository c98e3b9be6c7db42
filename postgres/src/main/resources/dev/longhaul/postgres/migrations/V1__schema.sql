-- Longhaul's tables. Everything lives in schema longhaul and is always written with it.
-- Layout (docs/decisions/0002-table-layout.md): live jobs in one small hot table; a job that ends moves to a table that is
-- partitioned by the day in its id, together with its runs, steps and events, so that retention drops whole days.

create schema if not exists longhaul;

create table longhaul.schema_version (
    version int primary key,
    description text not null,
    applied_at timestamptz not null default now()
);

-- The clock that decides due times and leases. Stable and inlined, so that it can bound an index scan (clock_timestamp()
-- is volatile and cannot); tests replace it by one with an offset.
create function longhaul.clock() returns timestamptz language sql stable parallel safe
    as 'select statement_timestamp()';

-- The smallest UUIDv7 of a moment: ids made before it are smaller.
create function longhaul.lowest_id(moment timestamptz) returns uuid language sql stable parallel safe
    as $$ select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;

-- state: 0 created, 1 waiting, 2 running, 3 cancelling (finished_job: 4 succeeded, 5 failed, 6 cancelled).
-- rank: minus the priority, so that the index of waiting jobs ascends in all its columns and can be walked by row comparison.
-- counted: whether this run is in definition_limit.running, so that its end takes it out again.
-- position: the last event position given to this job; started_position: that of its current run's start.
-- Columns are ordered by alignment; those that are mostly null come last.
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
    definition_key text collate "C" not null,
    queue text collate "C" not null,
    params text not null,
    lease_until timestamptz,
    lease_key uuid,
    started_at timestamptz,
    started_position int,
    last_sequence int,
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

-- One lane per (queue, definition, version, priority): a claim steps from lane to lane, so that jobs nobody may or can run
-- cost it one probe, however many there are.
create index live_job_waiting on longhaul.live_job (queue, definition_key, definition_version, rank, run_at, id)
    where state = 1;
-- On the id, not on lease_until: renewing a lease then touches no indexed column, and PostgreSQL updates the row in place.
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

create index finished_job_definition on longhaul.finished_job (definition_key, id);
create index finished_job_ended_badly on longhaul.finished_job (state, id) where state > 4;
create index finished_job_correlation on longhaul.finished_job (correlation_id) where correlation_id is not null;

-- Runs that the job's own row does not tell: those their job outlived, and those that ended otherwise than their job.
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

-- What happened to jobs, but for what their rows and runs tell anyway (created, started, and how runs and jobs ended).
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

-- Uniqueness of idempotency keys, over live and finished jobs alike.
create table longhaul.idempotency_key (
    definition_key text collate "C" not null,
    key text collate "C" not null,
    job_id uuid not null,
    constraint idempotency_key_pkey primary key (definition_key, key)
);
create index idempotency_key_job on longhaul.idempotency_key (job_id);

create table longhaul.queue (
    name text collate "C" primary key,
    paused_at timestamptz,
    paused_by text,
    paused_note text,
    max_depth int check (max_depth >= 0)
);

-- Definitions that may not run any number of jobs at once. running is kept by every statement that starts or ends a run,
-- in its own transaction: a count of rows could not be exact while claimers race. A row stays when its limit is lifted
-- (max_running is null), so that the count goes on.
create table longhaul.definition_limit (
    definition_key text collate "C" primary key,
    max_running int check (max_running >= 1),
    running int not null check (running >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100);

-- The lanes of some queues that have waiting jobs, each with the run time of its first: one index probe per lane. Of a
-- definition's priorities, from the highest on, no more than it takes to have most due jobs (null: all). Inlined into the
-- statements that use it.
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
                where j.state = 1 and j.queue = wanted.name
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
                where j.state = 1 and j.queue = lane.queue
                    and (j.definition_key, j.definition_version, j.rank)
                        > (lane.definition_key, lane.definition_version, lane.rank)
                order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
                limit 1
            ) neighbour
            cross join lateral (
                -- Only counted where a lower priority of the same definition follows.
                select case when most is not null and neighbour.definition_key = lane.definition_key
                    and neighbour.definition_version = lane.definition_version
                    then lane.due_before + (
                        select count(*)
                        from (
                            select from longhaul.live_job j
                            where j.state = 1 and j.queue = lane.queue and j.definition_key = lane.definition_key
                                and j.definition_version = lane.definition_version and j.rank = lane.rank
                                and j.run_at <= longhaul.clock()
                            order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
                            limit most
                        ) due
                    ) end as jobs
                -- Keeps this from being computed anew wherever it is used.
                offset 0
            ) covered
            cross join lateral (
                select neighbour.* where covered.jobs is null or covered.jobs < most
                union all
                (
                    select j.queue, j.definition_key, j.definition_version, j.rank, j.run_at
                    from longhaul.live_job j
                    where covered.jobs >= most and j.state = 1 and j.queue = lane.queue
                        and (j.definition_key, j.definition_version) > (lane.definition_key, lane.definition_version)
                    order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
                    limit 1
                )
            ) next
        )
        select queue, definition_key, definition_version, rank, run_at from lane
    $$;

-- Refuses ids made far from now, on which partitions and retention rely, and ids that have finished already. Volatile: its
-- queries see what was committed up to now, not only what the calling statement's snapshot saw, and so notice a job that
-- finished while its repeated insert waited for it.
create function longhaul.refuse_ids(ids uuid[]) returns boolean language plpgsql volatile
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
    as $$
    declare
        lowest uuid := longhaul.lowest_id(longhaul.clock() - interval '1 day');
        highest uuid := longhaul.lowest_id(longhaul.clock() + interval '1 day');
        newest uuid;
    begin
        if exists (select from unnest(ids) as made (id) where made.id not between lowest and highest) then
            raise exception 'an id was made more than a day from now' using errcode = '22023';
        end if;
        -- Most new ids are above all finished ones, and need no look-up of their own.
        select f.id into newest from longhaul.finished_job f order by f.id desc limit 1;
        if exists (select from unnest(ids) as made (id)
                where made.id <= newest and (select f.id from longhaul.finished_job f where f.id = made.id) is not null) then
            raise exception 'a job with the same id has finished' using errcode = '23505', constraint = 'finished_job_pkey';
        end if;
        return true;
    end
    $$;

-- All jobs, for reading: by Longhaul and by people.
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
        else 'cancelling' end as status
from longhaul.live_job
union all
select id, definition_key, definition_version, queue, rank, state, params, max_attempts, timeout_seconds, name,
    correlation_id, labels, created_by, schedule_key, fire_at, traceparent, created_at, updated_at, run_at, started_at,
    finished_at, run, attempts, crashes, progress, progress_message, worker_id, null::timestamptz,
    null::timestamptz, cancel_requested_at, cancel_reason, cancel_grace_millis, error_code, error_message, error_type,
    error_stack, result,
    case state when 4 then 'succeeded' when 5 then 'failed' else 'cancelled' end
from longhaul.finished_job;

insert into longhaul.schema_version (version, description) values (1, 'schema');
