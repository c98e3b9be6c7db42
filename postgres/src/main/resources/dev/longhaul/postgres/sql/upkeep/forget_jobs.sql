-- planner: index only
-- Removes a batch of jobs of one day that finished long ago, with all rows that belong to them.
with doomed as materialized (
    -- The delete from job_effect reads consumer (1: hooks) from this column, because with a constant in its condition
    -- the planner may choose a slow index; see take_hooks.sql.
    select j.id, 1::smallint as consumer
    from longhaul.finished_job j
    where j.id >= :first and j.id < :end and j.id > :after and j.finished_at < :cutoff::timestamptz
    order by j.id
    limit :max
    for update skip locked
), runs as (
    delete from longhaul.job_run r using doomed d where r.job_id = d.id and r.job_id >= :first and r.job_id < :end
), steps as (
    delete from longhaul.job_step s using doomed d where s.job_id = d.id and s.job_id >= :first and s.job_id < :end
), events as (
    delete from longhaul.job_event e using doomed d where e.job_id = d.id and e.job_id >= :first and e.job_id < :end
), hooks as (
    delete from longhaul.job_effect h using doomed d where h.consumer = d.consumer and h.job_id = d.id
), webhooks as (
    delete from longhaul.job_webhook w using doomed d where w.job_id = d.id
), keys as (
    delete from longhaul.idempotency_key k using doomed d where k.job_id = d.id
)
delete from longhaul.finished_job j using doomed d where j.id = d.id and j.id >= :first and j.id < :end
returning j.id
