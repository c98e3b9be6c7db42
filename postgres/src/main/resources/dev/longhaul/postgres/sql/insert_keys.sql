-- Takes idempotency keys; waits for whoever is about to take the same one. Sorted, so that two batches cannot deadlock.
insert into longhaul.idempotency_key (definition_key, key, job_id)
select g.definition_key, g.key, g.job_id
from unnest(:definitionKeys::text[], :keys::text[], :ids::uuid[]) with ordinality
    as g (definition_key, key, job_id, number)
order by g.definition_key, g.key, g.number
on conflict do nothing
returning job_id
