-- Removes a declaration that sets nothing, if the definition is registered.
delete from longhaul.declared_definition d
where d.definition_key = :key and d.definition_version = :version
    and coalesce(d.timeout_seconds::text, d.concurrency_limit::text, d.max_attempts::text, d.queue, d.params_schema,
        d.result_schema) is null
    and exists (select from longhaul.definition r
        where r.definition_key = d.definition_key and r.definition_version = d.definition_version)
