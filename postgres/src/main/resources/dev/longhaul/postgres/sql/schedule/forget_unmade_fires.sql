-- planner: index only
-- Removes the given fires that created no job, so that they can be stored again with a job.
delete from longhaul.schedule_fire f
where f.schedule_key = :key and f.fire_at = any (:fireAts::timestamptz[]) and f.outcome <> 0
