-- Adds runs that began before their definition had a limit to its count. Skips runs that are ending.
with counter as materialized (
    select l.definition_key from longhaul.definition_limit l where l.definition_key = :key for update
), uncounted as materialized (
    select j.id
    from counter c
    join longhaul.live_job j on j.definition_key = c.definition_key and j.state >= 2 and not j.counted
    for update of j skip locked
), taken as (
    update longhaul.live_job j set counted = true from uncounted u where j.id = u.id returning j.id
)
update longhaul.definition_limit l
set running = l.running + (select count(*) from taken)
from counter c
where l.definition_key = c.definition_key
