-- planner: index only
-- Takes idempotency keys for their first jobs; waits for an open transaction that takes the same key. Sorted, so that
-- two batches cannot deadlock. A key that a job of one version still holds is not taken, even if its first job was
-- removed.
insert into longhaul.idempotency_key (definition_key, key, definition_version, job_id)
select g.definition_key, g.key, 0, g.job_id
from unnest(:definitionKeys::text[], :keys::text[], :ids::uuid[]) with ordinality
    as g (definition_key, key, job_id, number)
-- Written without "not exists", which the planner may turn into a join that reads the whole table.
where (
    select k.job_id from longhaul.idempotency_key k
    where k.definition_key = g.definition_key and k.key = g.key and k.definition_version > 0
    limit 1) is null
order by g.definition_key, g.key, g.number
on conflict do nothing
returning job_id
