-- How runs went, for charts (docs/decisions/0014-dashboard.md). Every process counts its own and writes a row per queue and
-- definition, under its own source, so that no two processes ever wait for each other's rows.

-- seconds: what a row is of, 10 (kept for a day) or 300 (for 30 days). The arrays are lengths and how often each was seen.
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

-- What lists filter by beside definition and state: without these, a filter that few jobs fit reads all of them.
create index finished_job_queue on longhaul.finished_job (queue, id);
create index finished_job_labels on longhaul.finished_job using gin (labels) where labels is not null;

create index finished_job_name on longhaul.finished_job (name collate "C", id) where name is not null;
-- By time: rows lie in the order of their making, so that a few bytes per hundred pages are enough to know where to look.
create index finished_job_created on longhaul.finished_job using brin (created_at);
-- Most definitions have one queue; without knowing that, a plan looks for jobs of the one in all of the other.
create statistics longhaul.finished_job_lanes (mcv) on definition_key, queue from longhaul.finished_job;

insert into longhaul.schema_version (version, description) values (5, 'run stats');
