-- What slows a database down before anybody notices. Others' sessions show only to those who may see them.
select current_setting('server_version'),
    coalesce(extract(epoch from clock_timestamp() - held.since), 0), held.who,
    pg_total_relation_size('longhaul.live_job'),
    coalesce((select s.n_dead_tup from pg_stat_user_tables s where s.relid = 'longhaul.live_job'::regclass), 0),
    finished.bytes, finished.days,
    (select count(*) from pg_stat_activity a where a.backend_type = 'client backend'),
    current_setting('max_connections')::int
from (
    select coalesce(sum(pg_total_relation_size(i.inhrelid)), 0) as bytes, count(*) as days
    from pg_inherits i where i.inhparent = 'longhaul.finished_job'::regclass
) finished
left join lateral (
    select a.xact_start as since, coalesce(nullif(a.application_name, ''), a.usename::text) as who
    from pg_stat_activity a
    where a.xact_start is not null and a.backend_xmin is not null and a.pid <> pg_backend_pid()
        and a.datname = current_database()
    order by age(a.backend_xmin) desc, a.xact_start
    limit 1
) held on true
