-- All versions of some keys: what counts (found), followed by what was registered, if anything was.
select k.definition_key, k.definition_version, k.params_schema, k.result_schema, k.queue, k.max_attempts, k.timeout_seconds,
    k.concurrency_limit, k.declared_by, k.updated_at, k.registered_by,
    r.definition_key, r.definition_version, r.params_schema, r.result_schema, r.queue, r.max_attempts, r.timeout_seconds,
    r.concurrency_limit, null::text, r.updated_at, r.registered_by
from longhaul.known_definition k
left join longhaul.definition r on r.definition_key = k.definition_key and r.definition_version = k.definition_version
where k.definition_key = any (:keys::text[])
order by k.definition_key, k.definition_version
