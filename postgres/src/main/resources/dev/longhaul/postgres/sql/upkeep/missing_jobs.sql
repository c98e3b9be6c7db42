-- planner: index only
-- The given jobs that do not exist.
select g.id
from unnest(:ids::uuid[]) as g (id)
where not exists (select from longhaul.live_job j where j.id = g.id)
    and not exists (select from longhaul.finished_job j where j.id = g.id)
