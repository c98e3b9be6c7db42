-- planner: index only
-- The given fire times that have fired.
select f.fire_at from longhaul.schedule_fire f
where f.schedule_key = :key and f.fire_at = any (:fireAts::timestamptz[])
