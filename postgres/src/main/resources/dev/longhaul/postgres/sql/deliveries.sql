-- planner: custom
-- The newest first.
select id, webhook_id, event, at, state, tries, next_try_at, ended_at, job_id, position, definition_key,
    definition_version, queue, run, attempts, name, correlation_id, labels, error_code, error_message, traceparent,
    subject, details, url
from longhaul.webhook_delivery
where webhook_id = :webhookId and (:state::int is null or state = :state::int)
    and (:beforeAt::timestamptz is null or (at, id) < (:beforeAt::timestamptz, :beforeId::uuid))
order by at desc, id desc
limit :limit
