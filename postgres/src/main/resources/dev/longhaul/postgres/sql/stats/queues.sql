-- planner: custom
-- Every queue that has jobs or settings: its jobs by status and the run time of its longest due job. Large tables are
-- sampled (:live and :finished are the percentages that are read), always the same pages, so that the numbers do not
-- flicker. Running jobs, the set of queues with waiting jobs, and small queues are exact even then.
with recursive waiting as (
    -- The queues that have waiting jobs, one index probe each.
    (select j.queue from longhaul.live_job j where j.state = 1 and not longhaul.on_last_life(j.crashes) order by j.queue limit 1)
    union all
    select next.queue
    from waiting w
    cross join lateral (
        select j.queue from longhaul.live_job j
        where j.state = 1 and not longhaul.on_last_life(j.crashes) and j.queue > w.queue order by j.queue limit 1
    ) next
), small as materialized (
    select w.queue, few.status, count(*) as jobs, sum(count(*)) over (partition by w.queue) as total
    from waiting w
    cross join lateral (
        select case when j.run_at <= longhaul.clock() then 'queued' when j.attempts > 0 then 'retrying' else 'scheduled' end
            as status
        from longhaul.live_job j
        where j.state = 1 and not longhaul.on_last_life(j.crashes) and j.queue = w.queue
        limit 100
    ) few
    where :live::real < 100
    group by w.queue, few.status
), counted as (
    select s.queue, s.status, s.jobs from small s where s.total < 100
    union all
    select j.queue, case when j.state = 0 then 'created' when j.run_at <= longhaul.clock() then 'queued'
            when j.attempts > 0 then 'retrying' else 'scheduled' end as status,
        (count(*) * 100 / :live::real)::bigint
    from longhaul.live_job j tablesample system (:live::real) repeatable (1)
    where j.state < 2
        and (j.state = 0 or j.queue <> all (array(select distinct s.queue from small s where s.total < 100)))
    group by 1, 2
    union all
    select j.queue, case j.state when 2 then 'running' else 'cancelling' end, count(*)
    from longhaul.live_job j
    where j.state >= 2
    group by 1, 2
    union all
    select j.queue, case j.state when 4 then 'succeeded' when 5 then 'failed' else 'cancelled' end,
        (count(*) * 100 / :finished::real)::bigint
    from longhaul.finished_job j tablesample system (:finished::real) repeatable (1)
    group by 1, 2
), due as (
    -- Reads ordinary jobs lane by lane, and the few jobs on their last life directly.
    select d.queue, min(d.run_at) as oldest
    from (
        select l.queue, l.run_at from longhaul.lanes(array(select w.queue from waiting w), null) l
        union all
        select j.queue, j.run_at from longhaul.live_job j where j.state = 1 and longhaul.on_last_life(j.crashes)
    ) d
    where d.run_at <= longhaul.clock()
    group by d.queue
)
select coalesce(c.queue, q.name) as queue, c.status, c.jobs, case when c.status = 'queued' then due.oldest end as oldest,
    q.paused_at, q.paused_by, q.paused_note, q.max_depth, longhaul.clock() as now
from counted c
full join longhaul.queue q on q.name = c.queue
left join due on due.queue = c.queue
order by 1, 2
