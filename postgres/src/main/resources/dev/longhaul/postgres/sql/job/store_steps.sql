-- Stores finished steps. A step that exists gets the new result and keeps its position.
insert into longhaul.job_step (job_id, name, result, run, number, stored_at)
select s.job_id, s.name, s.result, s.run, s.number, longhaul.clock()
from unnest(:ids::uuid[], :names::text[], :results::text[], :runs::int[], :numbers::int[])
    as s (job_id, name, result, run, number)
on conflict (job_id, name) do update
set result = excluded.result, run = excluded.run, stored_at = excluded.stored_at
