-- Schedules and their fires.

-- Of cron, every_seconds (counted from anchor) and fire_times, exactly one is set.
-- next_fire_at: null while the schedule is paused, and when it will never fire again.
-- version rises with every change: a fire that was decided on an earlier version changes nothing.
-- secrets: the secret places of params (JobSecrets.java).
create table longhaul.schedule (
    key text collate "C" primary key,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    next_fire_at timestamptz,
    version bigint not null,
    runs bigint not null,
    last_fire_at timestamptz,
    last_job_id uuid,
    paused_at timestamptz,
    paused_by text,
    paused_note text,
    definition_version int not null,
    timeout_seconds int not null,
    rank smallint not null,
    max_attempts smallint not null,
    definition_key text collate "C" not null,
    queue text collate "C" not null,
    params text not null,
    name text,
    labels text[],
    secrets text,
    cron text,
    time_zone text,
    dst text,
    every_seconds int,
    anchor timestamptz,
    fire_times timestamptz[],
    start_at timestamptz,
    end_at timestamptz,
    max_runs int,
    jitter_seconds int not null,
    catch_up text not null,
    catch_up_max int not null,
    catch_up_window_seconds int not null,
    overlap text not null,
    constraint schedule_key check (key ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
    constraint schedule_times check (num_nonnulls(cron, every_seconds, fire_times) = 1
        and (cron is null) = (time_zone is null) and (cron is null) = (dst is null)
        and (every_seconds is null) = (anchor is null)),
    constraint schedule_paused check (paused_at is null or next_fire_at is null),
    constraint schedule_words check (dst in ('RUN', 'SKIP') and catch_up in ('SKIP', 'ONCE', 'ALL')
        and overlap in ('ALLOW', 'SKIP', 'QUEUE_ONE', 'CANCEL_PREVIOUS')),
    constraint schedule_bounds check (rank between -1000 and 1000 and max_attempts >= 1 and timeout_seconds >= 1
        and version >= 1 and runs >= 0 and max_runs >= 1 and every_seconds >= 1 and jitter_seconds >= 0)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Finds due schedules at the same cost, however many schedules there are.
create index schedule_due on longhaul.schedule (next_fire_at) where next_fire_at is not null;

-- The primary key guarantees that no schedule fires twice for the same time.
-- cause: 0 scheduled, 1 triggered, 2 backfilled. outcome: 0 created, 1 skipped, 2 refused.
create table longhaul.schedule_fire (
    schedule_key text collate "C" not null,
    fire_at timestamptz not null,
    fired_at timestamptz not null,
    job_id uuid,
    cause smallint not null,
    outcome smallint not null,
    constraint schedule_fire_pkey primary key (schedule_key, fire_at),
    constraint schedule_fire_codes check (cause between 0 and 2 and outcome between 0 and 2),
    constraint schedule_fire_job check ((outcome = 0) = (job_id is not null))
);
create index schedule_fire_age on longhaul.schedule_fire (fired_at);

-- Partial indexes on the jobs of a schedule that have not ended, and on those held until earlier ones have ended.
create index live_job_schedule on longhaul.live_job (schedule_key, fire_at) where schedule_key is not null;
create index live_job_held on longhaul.live_job (fire_at, id) where schedule_key is not null and state = 0;

insert into longhaul.schema_version (version, description) values (2, 'schedules');
