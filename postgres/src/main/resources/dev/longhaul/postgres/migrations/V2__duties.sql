-- What workers and their leader need besides jobs: leadership, jobs on their last life, hooks of ended jobs.

-- One row: who does the duties that only one process may do. epoch rises whenever leadership is taken. looked_at and
-- looked_before are the last two times that a leader reached the database, steady_since the time from which on that happened
-- without a gap: only then had the owners of leases a chance to renew them (lead.sql).
create table longhaul.leader (
    one boolean primary key default true check (one),
    holder text not null,
    epoch bigint not null,
    term_until timestamptz not null,
    looked_at timestamptz not null,
    looked_before timestamptz,
    steady_since timestamptz not null
) with (fillfactor = 50);

-- A job that has crashed all but once too often (crashes >= 2) runs alone, because what runs beside it would be blamed for its
-- next crash. Such jobs have an index of their own: ordinary claims then meet none of them, and need not read the rows to know.
drop index longhaul.live_job_waiting;
create index live_job_waiting on longhaul.live_job (queue, definition_key, definition_version, rank, run_at, id)
    where state = 1 and crashes < 2;
create index live_job_last_life on longhaul.live_job (queue, definition_key, definition_version, rank, run_at, id)
    where state = 1 and crashes >= 2;

-- As before, but for jobs on their last life.
create or replace function longhaul.lanes(queues text[], most int)
    returns table (queue text, definition_key text, definition_version int, rank smallint, run_at timestamptz)
    language sql stable
    as $$
        with recursive lane as (
            select first.*, 0::bigint as due_before
            from unnest(queues) as wanted (name)
            cross join lateral (
                select j.queue, j.definition_key, j.definition_version, j.rank, j.run_at
                from longhaul.live_job j
                where j.state = 1 and j.crashes < 2 and j.queue = wanted.name
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
                where j.state = 1 and j.crashes < 2 and j.queue = lane.queue
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
                            where j.state = 1 and j.crashes < 2 and j.queue = lane.queue and j.definition_key = lane.definition_key
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
                    where covered.jobs >= most and j.state = 1 and j.crashes < 2 and j.queue = lane.queue
                        and (j.definition_key, j.definition_version) > (lane.definition_key, lane.definition_version)
                    order by j.queue, j.definition_key, j.definition_version, j.rank, j.run_at, j.id
                    limit 1
                )
            ) next
        )
        select queue, definition_key, definition_version, rank, run_at from lane
    $$;

-- The lanes of jobs on their last life. There are few of these jobs, so that nothing is gained by stepping over some.
create function longhaul.last_life_lanes(queues text[], most int)
    returns table (queue text, definition_key text, definition_version int, rank smallint, run_at timestamptz)
    language sql stable
    as $$
        select j.queue, j.definition_key, j.definition_version, j.rank, min(j.run_at)
        from longhaul.live_job j
        where j.state = 1 and j.crashes >= 2 and j.queue = any (queues)
        group by j.queue, j.definition_key, j.definition_version, j.rank
    $$;

-- Definitions whose jobs have code to run once they have ended, and the ended jobs whose code is yet to run: from available_at
-- on, by anybody.
create table longhaul.hooked_definition (
    definition_key text collate "C" primary key
);

create table longhaul.due_hook (
    job_id uuid primary key,
    definition_key text collate "C" not null,
    definition_version int not null,
    available_at timestamptz not null
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
create index due_hook_available on longhaul.due_hook (definition_key, definition_version, available_at);

insert into longhaul.schema_version (version, description) values (2, 'duties');
