select definition_key, definition_version, params_schema, result_schema, queue, max_attempts, timeout_seconds,
    concurrency_limit, declared_by, updated_at, registered_by
from longhaul.known_definition
where definition_key = :key and definition_version = :version
