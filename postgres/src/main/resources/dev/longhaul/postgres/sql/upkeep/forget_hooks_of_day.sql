-- Hooks of jobs made on that day, whose partitions are gone.
delete from longhaul.job_effect h where h.consumer = 1 and h.job_id >= :first and h.job_id < :end
