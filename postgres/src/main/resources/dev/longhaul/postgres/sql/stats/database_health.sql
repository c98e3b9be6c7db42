-- Conditions that slow a database down unnoticed. Sessions of other roles are visible only to members of
-- pg_read_all_stats.
select current_setting('server_version') as server_version,
    coalesce(extract(epoch from clock_timestamp() - held.since), 0) as held_seconds, held.who as held_by,
    pg_total_relation_size('longhaul.live_job') as live_bytes,
    coalesce((select s.n_dead_tup from pg_stat_user_tables s where s.relid = 'longhaul.live_job'::regclass), 0)
        as dead_rows,
    finished.bytes as finished_bytes, finished.days,
    (select count(*) from pg_stat_activity a where a.backend_type = 'client backend') as connections,
    current_setting('max_connections')::int as max_connections
from (
    select coalesce(sum(pg_total_relation_size(i.inhrelid)), 0) as bytes, count(*) as days
    from pg_inherits i where i.inhparent = 'longhaul.finished_job'::regclass
) finished
left join lateral (
    select holder.since, holder.who
    from (
        -- An idle session that has written has no snapshot, but all other snapshots reach back to its xid.
        select a.xact_start as since, coalesce(nullif(a.application_name, ''), a.usename::text) as who,
            greatest(age(a.backend_xmin), age(a.backend_xid)) as xids
        from pg_stat_activity a
        where a.pid <> pg_backend_pid() and a.datname = current_database()
        union all
        select p.prepared, p.gid, age(p.transaction) from pg_prepared_xacts p where p.database = current_database()
        union all
        -- Read from JSON, because PostgreSQL 15 and 16 do not have the column inactive_since; there the start is
        -- unknown.
        select (to_jsonb(s) ->> 'inactive_since')::timestamptz, s.slot_name::text, age(s.xmin) from pg_replication_slots s
    ) holder
    where holder.since is not null and holder.xids is not null
    order by holder.xids desc, holder.since
    limit 1
) held on true
