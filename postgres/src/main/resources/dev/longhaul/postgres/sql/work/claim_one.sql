-- planner: index only
-- Leases one waiting job whose row is locked, and after it the counter of its definition (lock_limit.sql). Returns the
-- same columns as claim.sql.
with claimed as (
    update longhaul.live_job j
    set state = 2, run = j.run + 1, attempts = j.attempts + 1, lease_key = :key,
        lease_until = longhaul.clock() + :lease * interval '1 microsecond', worker_id = :worker,
        started_at = longhaul.clock(), updated_at = longhaul.clock(), heartbeat_at = null,
        position = j.position + 1, started_position = j.position + 1, last_sequence = null,
        progress = 0, progress_message = null, counted = :counted, end_margin_millis = null,
        begun = j.max_attempts > 1 and not j.begin_first
    where j.id = :id and (j.state + 0) = 1
    returning {claimed_columns}
), happened as not materialized (
    {run_started}
), noted as (
    {note_effects}
), counter as (
    update longhaul.definition_limit l
    set running = l.running + 1
    from claimed c
    where c.counted and l.definition_key = c.definition_key
)
select * from claimed
