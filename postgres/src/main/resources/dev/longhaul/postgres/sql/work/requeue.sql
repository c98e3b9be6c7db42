-- planner: index only
-- Puts jobs whose runs have ended back to waiting. Their rows are locked and their claims checked (lock_claims.sql).
with back as materialized (
    select *
    from unnest(:ids::uuid[], :runAts::timestamptz[], :attempts::smallint[], :crashes::smallint[], :positions::int[],
        :errorCodes::text[], :errorMessages::text[], :errorTypes::text[], :errorStacks::text[], :beginFirst::boolean[])
        as b (id, run_at, attempts, crashes, position, error_code, error_message, error_type, error_stack, begin_first)
), requeued as (
    update longhaul.live_job j
    set state = 1, lease_until = null, heartbeat_at = null, run_at = b.run_at, attempts = b.attempts, crashes = b.crashes,
        position = b.position, updated_at = :now::timestamptz, error_code = b.error_code, error_message = b.error_message,
        error_type = b.error_type, error_stack = b.error_stack, begun = false, begin_first = j.begin_first or b.begin_first
    from back b
    where j.id = b.id and (j.state + 0) = 2
    returning j.*
), told as (
    -- Of runs that failed or were lost; the others put their jobs back without an error, or were no attempt.
    insert into longhaul.webhook_delivery (id, webhook_id, event, at, since, next_try_at, job_id, turn, position,
        definition_key, definition_version, queue, run, attempts, name, correlation_id, labels, traceparent, error_code,
        error_message, url, secret)
    select gen_random_uuid(), w.webhook_id, w.event, r.updated_at, r.updated_at, r.updated_at, r.id, 2 * r.position,
        r.position, r.definition_key, r.definition_version, r.queue, r.run, r.attempts, r.name, r.correlation_id, r.labels,
        r.traceparent, r.error_code, r.error_message, w.url, w.secret
    from requeued r
    cross join lateral longhaul.webhooks_for('{job.retrying}', r.id, r.definition_key, r.queue, r.labels) w
    where (select true from longhaul.webhook limit 1) and r.error_code is not null
        and r.error_code <> 'params_unreadable'
), freed as (
    select r.definition_key, count(*) as jobs from requeued r where r.counted group by r.definition_key
), counter as materialized (
    select l.definition_key
    from longhaul.definition_limit l
    where l.definition_key in (select f.definition_key from freed f)
    order by l.definition_key
    for update
)
update longhaul.definition_limit l
set running = l.running - f.jobs
from counter c
join freed f on f.definition_key = c.definition_key
where l.definition_key = c.definition_key
