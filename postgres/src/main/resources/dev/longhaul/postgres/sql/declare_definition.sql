-- What an operator says.
insert into longhaul.definition (definition_key, definition_version, timeout_seconds, concurrency_limit, max_attempts, queue,
    params_schema, result_schema, declared_by, updated_at)
values (:key, :version, :timeout, :limit, :attempts, :queue, :paramsSchema, :resultSchema, :by, longhaul.clock())
on conflict (definition_key, definition_version) do update
set timeout_seconds = excluded.timeout_seconds, concurrency_limit = excluded.concurrency_limit,
    max_attempts = excluded.max_attempts, queue = excluded.queue, params_schema = excluded.params_schema,
    result_schema = excluded.result_schema, declared_by = excluded.declared_by, updated_at = excluded.updated_at
returning definition_key, definition_version, params_schema, result_schema, queue, max_attempts, timeout_seconds,
    concurrency_limit, declared_by, updated_at
