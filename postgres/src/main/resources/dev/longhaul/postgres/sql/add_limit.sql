-- Gives a definition its first limit, counting what runs now; nobody starts or ends a run meanwhile (the table is locked).
insert into longhaul.definition_limit (definition_key, max_running, running)
select :key, :limit, count(*)
from longhaul.live_job j
where j.state >= 2 and j.definition_key = :key
on conflict (definition_key) do update set max_running = excluded.max_running
