-- planner: index only
-- Removes those of these fires that created no job, because they are about to create one.
delete from longhaul.schedule_fire f
where f.schedule_key = :key and f.fire_at = any (:fireAts::timestamptz[]) and f.outcome <> 0
