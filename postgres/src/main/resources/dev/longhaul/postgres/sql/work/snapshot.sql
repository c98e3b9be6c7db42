-- The running transactions, and the clock.
select pg_current_snapshot()::text as snapshot, longhaul.clock() as now
