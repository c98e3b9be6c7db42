-- Stores new jobs that differ only in their ids and params and are due immediately. Costs less than half of insert.sql,
-- and is enough for most callers that enqueue single jobs. Stores none if their queue is bounded.
with stored as (
    insert into longhaul.live_job (id, run_at, created_at, updated_at, definition_version, timeout_seconds, state, rank,
        max_attempts, definition_key, queue, params, created_by, secrets)
    select g.id, longhaul.clock(), longhaul.clock(), longhaul.clock(), :version, :timeout, 1, :rank, :maxAttempts, :key, :queue,
        g.params, :createdBy::text, :secrets::text
    from unnest(:ids::uuid[], :params::text[]) as g (id, params)
    where not exists (select from longhaul.queue q where q.name = :queue and q.max_depth is not null)
    returning created_at
)
select created_at, case when :notification::text is not null then pg_notify(:channel, :notification::text) end
from stored
limit 1
