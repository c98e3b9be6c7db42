-- Registers the definitions of workers; returns those that have changed. Unchanged rows are not written: workers
-- restart more often than definitions change. A definition of code (registered_by is null) still belongs to the code
-- after an API key has registered it, too.
insert into longhaul.definition as d (definition_key, definition_version, timeout_seconds, concurrency_limit, max_attempts,
    queue, params_schema, result_schema, updated_at, registered_by)
select g.key, g.version, g.timeout, g.limit, g.attempts, g.queue, g.params, g.result, longhaul.clock(), g.registered_by
from unnest(:keys::text[], :versions::int[], :timeouts::int[], :limits::int[], :attempts::smallint[], :queues::text[],
    :paramsSchemas::text[], :resultSchemas::text[], :registeredBys::text[])
    as g (key, version, timeout, "limit", attempts, queue, params, result, registered_by)
on conflict (definition_key, definition_version) do update
set timeout_seconds = excluded.timeout_seconds, concurrency_limit = excluded.concurrency_limit,
    max_attempts = excluded.max_attempts, queue = excluded.queue, params_schema = excluded.params_schema,
    result_schema = excluded.result_schema, updated_at = excluded.updated_at,
    registered_by = case when d.registered_by is not null then excluded.registered_by end
where (d.timeout_seconds, d.concurrency_limit, d.max_attempts, d.queue, d.params_schema, d.result_schema)
        is distinct from (excluded.timeout_seconds, excluded.concurrency_limit, excluded.max_attempts, excluded.queue,
            excluded.params_schema, excluded.result_schema)
    or (d.registered_by is not null and excluded.registered_by is null)
returning definition_key, definition_version
