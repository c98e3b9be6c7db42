-- Every queue that has jobs or settings: its jobs by status and the run time of the job that is due longest.
select coalesce(c.queue, q.name), c.status, c.jobs, c.oldest, q.paused_at, q.paused_by, q.paused_note, q.max_depth,
    longhaul.clock()
from (
    select j.queue, j.status, count(*) as jobs, min(j.run_at) filter (where j.status = 'queued') as oldest
    from longhaul.job j
    group by j.queue, j.status
) c
full join longhaul.queue q on q.name = c.queue
order by 1, 2
