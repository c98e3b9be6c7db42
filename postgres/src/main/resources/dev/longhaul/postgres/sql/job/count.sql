-- planner: custom
-- Counts jobs by status among the first jobs of a list.
select listed.status, count(*) as jobs
from (
{list}
) listed
group by listed.status
