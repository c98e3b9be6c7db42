-- Frees the idempotency keys of jobs made on that day.
delete from longhaul.idempotency_key k where k.job_id >= :first and k.job_id < :end
