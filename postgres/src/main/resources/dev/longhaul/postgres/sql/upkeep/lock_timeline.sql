-- Locks the last known timeline of the database, so that one process at a time decides whether it has changed.
select t.timeline from longhaul.database_timeline t for update
