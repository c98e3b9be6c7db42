delete from longhaul.job_effect h where h.consumer = 1 and h.position = 0 and h.job_id = any (:ids::uuid[])
