-- Whether a job made on that day finished lately, and how many finished at all.
select coalesce(bool_or(j.finished_at >= :cutoff::timestamptz), false) as recent, count(*) as jobs
from longhaul.finished_job j
where j.id >= :first and j.id < :end
