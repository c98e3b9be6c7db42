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

insert into longhaul.schema_version (version, description) values (6, 'run stats');
