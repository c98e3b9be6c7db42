-- planner: index only
-- The job that has an idempotency key.
select j.*, longhaul.clock()
from longhaul.idempotency_key k
cross join lateral (select * from longhaul.job where job.id = k.job_id offset 0) j
where k.definition_key = :definitionKey and k.key = :key
