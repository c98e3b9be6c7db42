-- planner: index only
-- Gives positions for events that come after a job's end; its row is locked.
update longhaul.finished_job j set position = :position where j.id = :id
