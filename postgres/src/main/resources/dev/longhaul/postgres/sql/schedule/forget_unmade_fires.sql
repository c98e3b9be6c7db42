-- planner: index only
-- Forgets those of these fires that made no job, for now they will.
delete from longhaul.schedule_fire f
where f.schedule_key = :key and f.fire_at = any (:fireAts::timestamptz[]) and f.outcome <> 0
