-- Which transactions are under way, and the clock.
select pg_current_snapshot()::text, longhaul.clock()
