-- Takes idempotency keys for jobs of one version while the first job with that key has another version. Runs after
-- insert_keys.sql, with sorted keys, so that two batches cannot deadlock.
insert into longhaul.idempotency_key (definition_key, key, definition_version, job_id)
select g.definition_key, g.key, g.definition_version, g.job_id
from unnest(:definitionKeys::text[], :keys::text[], :versions::int[], :ids::uuid[]) with ordinality
    as g (definition_key, key, definition_version, job_id, number)
order by g.definition_key, g.key, g.definition_version, g.number
on conflict do nothing
returning job_id
