-- Hooks of jobs made on that day, whose partitions are gone.
delete from longhaul.due_hook h where h.job_id >= :first and h.job_id < :end
