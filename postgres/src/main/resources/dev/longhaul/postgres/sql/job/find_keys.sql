-- planner: index only
-- The jobs that hold these idempotency keys.
select k.definition_key, k.key, k.definition_version, k.job_id
from unnest(:definitionKeys::text[], :keys::text[]) as g (definition_key, key)
join longhaul.idempotency_key k on k.definition_key = g.definition_key and k.key = g.key
order by k.job_id
