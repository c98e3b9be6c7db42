-- planner: index only
-- Counts the jobs that wait in a queue, only as far as needed. Two subqueries, because each has its own index.
select count(*) as jobs
from (
    (select from longhaul.live_job j where j.state = 1 and not longhaul.on_last_life(j.crashes) and j.queue = :queue limit :most)
    union all
    (select from longhaul.live_job j where j.state = 1 and longhaul.on_last_life(j.crashes) and j.queue = :queue limit :most)
) waiting
