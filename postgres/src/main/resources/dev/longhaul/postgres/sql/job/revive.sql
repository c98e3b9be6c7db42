-- planner: index only
-- Starts a failed or cancelled job over: its row moves back to the live table.
with gone as (
    delete from longhaul.finished_job j where j.id = :id and j.state > 4 returning j.*
)
insert into longhaul.live_job (id, run_at, created_at, updated_at, run, position, definition_version, timeout_seconds,
    state, rank, max_attempts, definition_key, queue, params, lease_key, fire_at, name, correlation_id, labels, created_by,
    schedule_key, traceparent, secrets)
select id, longhaul.clock(), created_at, longhaul.clock(), run, :position, definition_version, timeout_seconds, 1, rank,
    max_attempts, definition_key, queue, params, lease_key, fire_at, name, correlation_id, labels, created_by,
    schedule_key, traceparent, secrets
from gone
