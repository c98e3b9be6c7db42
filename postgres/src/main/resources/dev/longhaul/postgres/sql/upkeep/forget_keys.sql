-- planner: index only
-- Frees a batch of idempotency keys of jobs created on that day, whose partitions were dropped.
with doomed as materialized (
    select k.definition_key, k.key, k.definition_version
    from longhaul.idempotency_key k
    where k.job_id >= :first and k.job_id < :end
    order by k.job_id
    limit :max
    for update skip locked
)
delete from longhaul.idempotency_key k
using doomed d
where k.definition_key = d.definition_key and k.key = d.key and k.definition_version = d.definition_version
