-- Removes a schedule and its fires.
with fires as (
    delete from longhaul.schedule_fire f where f.schedule_key = :key
)
delete from longhaul.schedule s where s.key = :key
