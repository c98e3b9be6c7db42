-- planner: index only
-- The job that has an idempotency key: of the given version, or the first job with that key.
select {job_columns}
from longhaul.idempotency_key k
cross join lateral (select * from longhaul.job where job.id = k.job_id offset 0) j
where k.definition_key = :definitionKey and k.key = :key and (:version::int is null or j.definition_version = :version::int)
order by k.definition_version > 0, k.job_id
limit 1
