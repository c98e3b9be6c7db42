-- Effective definitions k, each with its registered fields (null if the definition is only declared).
select k.definition_key, k.definition_version, k.params_schema, k.result_schema, k.queue, k.max_attempts, k.timeout_seconds,
    k.concurrency_limit, k.declared_by, k.updated_at, k.registered_by,
    r.definition_key as registered_definition_key, r.definition_version as registered_definition_version,
    r.params_schema as registered_params_schema, r.result_schema as registered_result_schema, r.queue as registered_queue,
    r.max_attempts as registered_max_attempts, r.timeout_seconds as registered_timeout_seconds,
    r.concurrency_limit as registered_concurrency_limit, null::text as registered_declared_by,
    r.updated_at as registered_updated_at, r.registered_by as registered_registered_by
from longhaul.known_definition k
left join longhaul.definition r on r.definition_key = k.definition_key and r.definition_version = k.definition_version
