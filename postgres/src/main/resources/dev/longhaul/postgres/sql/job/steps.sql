-- planner: index only
select s.name, s.result
from longhaul.job_step s
where s.job_id = :id
order by s.number, s.name
