-- The last known timeline of the database, locked: one process at a time decides whether it has changed.
select t.timeline from longhaul.database_timeline t for update
