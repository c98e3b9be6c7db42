-- planner: index only
-- Locks one live job, whatever its state.
select {run_columns}
from longhaul.live_job j
where j.id = :id
for update
