-- planner: index only
-- The names of the steps these jobs have.
select wanted.id, s.name
from unnest(:ids::uuid[]) as wanted (id)
cross join lateral (select s.name from longhaul.job_step s where s.job_id = wanted.id offset 0) s
