-- Webhooks of jobs made on that day, whose partitions are gone.
delete from longhaul.job_webhook w where w.job_id >= :first and w.job_id < :end
