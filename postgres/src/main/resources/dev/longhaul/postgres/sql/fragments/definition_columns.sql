-- A definition, of a row k of the view longhaul.known_definition.
k.definition_key, k.definition_version, k.params_schema, k.result_schema, k.queue, k.max_attempts, k.timeout_seconds,
    k.concurrency_limit, k.declared_by, k.updated_at, k.registered_by
