-- Removes hooks of jobs created on that day, whose partitions were dropped.
delete from longhaul.job_effect h where h.consumer = 1 and h.job_id >= :first and h.job_id < :end
