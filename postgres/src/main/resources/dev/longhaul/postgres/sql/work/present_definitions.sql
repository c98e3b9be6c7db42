-- All versions of some keys: the effective definition, and what is registered (null where only declared).
select {definition_columns},
    r.definition_key as registered_definition_key, r.definition_version as registered_definition_version,
    r.params_schema as registered_params_schema, r.result_schema as registered_result_schema, r.queue as registered_queue,
    r.max_attempts as registered_max_attempts, r.timeout_seconds as registered_timeout_seconds,
    r.concurrency_limit as registered_concurrency_limit, null::text as registered_declared_by,
    r.updated_at as registered_updated_at, r.registered_by as registered_registered_by
from longhaul.known_definition k
left join longhaul.definition r on r.definition_key = k.definition_key and r.definition_version = k.definition_version
where k.definition_key = any (:keys::text[])
order by k.definition_key, k.definition_version
