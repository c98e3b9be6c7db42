-- Whether a server process other than this one is still there.
select exists (select from pg_stat_activity a where a.pid = :pid and a.pid <> pg_backend_pid()) as alive
