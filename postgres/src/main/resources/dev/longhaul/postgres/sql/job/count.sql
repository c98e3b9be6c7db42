-- planner: custom
-- How many jobs of each status are among the first that a list would show.
select listed.status, count(*) as jobs
from (
{list}
) listed
group by listed.status
