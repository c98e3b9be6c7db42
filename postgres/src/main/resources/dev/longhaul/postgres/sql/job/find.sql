-- planner: index only
-- Jobs by id, live or finished; each look-up reads only the partition of its id's day.
select {job_columns}
from unnest(:ids::uuid[]) as wanted (id)
cross join lateral (select * from longhaul.job where job.id = wanted.id offset 0) j
