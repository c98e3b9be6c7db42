-- planner: index only
-- The steps of these jobs, each with a digest to detect whether a step is stored again unchanged.
select wanted.id, s.name, md5(s.result) as digest
from unnest(:ids::uuid[]) as wanted (id)
cross join lateral (select s.name, s.result from longhaul.job_step s where s.job_id = wanted.id offset 0) s
