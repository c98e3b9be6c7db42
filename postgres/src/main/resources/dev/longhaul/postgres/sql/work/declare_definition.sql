-- Stores the fields that an operator declares; null for a named field restores the registered value.
insert into longhaul.declared_definition as d (definition_key, definition_version, timeout_seconds, concurrency_limit,
    max_attempts, queue, params_schema, result_schema, declared_by, updated_at)
values (:key, :version, :timeout::int, :limit::int, :attempts::smallint, :queue::text, :paramsSchema::text,
    :resultSchema::text, :by, longhaul.clock())
on conflict (definition_key, definition_version) do update
set timeout_seconds = case when :namesTimeout then excluded.timeout_seconds else d.timeout_seconds end,
    concurrency_limit = case when :namesLimit then excluded.concurrency_limit else d.concurrency_limit end,
    max_attempts = case when :namesAttempts then excluded.max_attempts else d.max_attempts end,
    queue = case when :namesQueue then excluded.queue else d.queue end,
    params_schema = case when :namesParams then excluded.params_schema else d.params_schema end,
    result_schema = case when :namesResult then excluded.result_schema else d.result_schema end,
    declared_by = excluded.declared_by, updated_at = excluded.updated_at
