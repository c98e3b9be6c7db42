-- planner: custom
-- How many jobs of each status are among the first jobs of a list.
select listed.status, count(*) as jobs
from (
{list}
) listed
group by listed.status
