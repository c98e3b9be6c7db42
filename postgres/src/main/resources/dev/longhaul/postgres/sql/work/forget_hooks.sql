delete from longhaul.due_hook h where h.job_id = any (:ids::uuid[])
