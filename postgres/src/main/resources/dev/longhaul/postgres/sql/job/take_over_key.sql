-- Transfers an idempotency key whose job was removed to another job.
update longhaul.idempotency_key k
set job_id = :id
where k.definition_key = :definitionKey and k.key = :key and k.definition_version = :version and k.job_id = :owner
