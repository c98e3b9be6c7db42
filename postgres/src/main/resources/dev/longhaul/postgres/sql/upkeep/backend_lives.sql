-- Whether another server process still exists.
select exists (select from pg_stat_activity a where a.pid = :pid and a.pid <> pg_backend_pid()) as alive
