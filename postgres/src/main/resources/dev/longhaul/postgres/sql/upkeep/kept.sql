-- Whether a job created on that day finished after the cutoff, and how many jobs of that day have finished.
select coalesce(bool_or(j.finished_at >= :cutoff::timestamptz), false) as recent, count(*) as jobs
from longhaul.finished_job j
where j.id >= :first and j.id < :end
