-- Locks the counter of a limited definition, and returns whether it has room. Waits for transactions that start or end
-- its runs.
select l.max_running, l.max_running is null or l.running < l.max_running as has_room
from longhaul.definition_limit l
where l.definition_key = :key
for update
