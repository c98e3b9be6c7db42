-- Waits for a claim whose connection broke, in case the server is still executing it.
select pg_advisory_xact_lock(:batchLock)
