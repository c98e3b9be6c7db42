-- planner: index only
-- Locks one live job in any state and returns all columns that Rows.job and RunRow read.
select {live_job_columns}, j.lease_key, j.position, j.started_position, j.last_sequence, j.counted, j.begun
from longhaul.live_job j
where j.id = :id
for update
