-- planner: index only
-- Locks one live job in any state.
select {run_columns}
from longhaul.live_job j
where j.id = :id
for update
