-- planner: index only
-- The lanes that a worker can claim from, each with the run time of its first job.
select w.queue, w.definition_key, w.definition_version, w.rank, w.run_at, longhaul.clock() as now
from longhaul.lanes(:queues::text[], :most) w
where (:anyDefinition or exists (
        select from unnest(:keys::text[], :versions::int[]) as known (key, version)
        where known.key = w.definition_key and known.version = w.definition_version))
    and not exists (select from longhaul.queue q where q.name = w.queue and q.paused_at is not null)
