-- planner: index only
-- Whether a job created on that day is live.
select exists (select from longhaul.live_job j where j.id >= :first and j.id < :end) as live
