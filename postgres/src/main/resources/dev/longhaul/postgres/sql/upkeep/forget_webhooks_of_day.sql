-- Removes webhooks of jobs created on that day, whose partitions were dropped.
delete from longhaul.job_webhook w where w.job_id >= :first and w.job_id < :end
