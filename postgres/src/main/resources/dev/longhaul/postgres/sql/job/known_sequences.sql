-- planner: index only
-- The stored event sequences of runs, from a given sequence on. Reads the events after the run's start. The jobs' rows
-- are locked.
select r.id, e.sequence
from unnest(:ids::uuid[], :runs::int[], :started::int[], :firsts::int[]) as r (id, run, started, first)
cross join lateral (
    select e.sequence from longhaul.job_event e
    where e.job_id = r.id and e.position > r.started and e.run = r.run and e.sequence >= r.first offset 0
) e
