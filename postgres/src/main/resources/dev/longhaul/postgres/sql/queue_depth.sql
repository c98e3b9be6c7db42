-- planner: index only
-- How many jobs wait in a queue, counted no further than needed.
select count(*)
from (select from longhaul.live_job j where j.state = 1 and j.queue = :queue limit :most) waiting
