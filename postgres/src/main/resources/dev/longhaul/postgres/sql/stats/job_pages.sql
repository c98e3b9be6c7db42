-- The sizes of the job tables, in pages.
select pg_relation_size('longhaul.live_job') / current_setting('block_size')::int as live_pages,
    (select coalesce(sum(pg_relation_size(i.inhrelid)), 0)::bigint from pg_inherits i
        where i.inhparent = 'longhaul.finished_job'::regclass) / current_setting('block_size')::int as finished_pages
