-- planner: index only
-- A job's events in order: stored events, and events derived from the rows of the job and its runs. A single statement,
-- so that all are from one snapshot.
select e.position, e.run, e.sequence, e.type, e.at, e.payload, e.error_code, e.error_message
from (
    (select e.position, e.run, e.sequence, e.type, e.at, e.payload, null::text as error_code, null::text as error_message
    from longhaul.job_event e
    where e.job_id = :id and e.position > :after
        and (:run::int is null or e.run = :run)
        and e.sequence >= :fromSequence
        and (:from::timestamptz is null or e.at >= :from::timestamptz)
        and (:types::text[] is null or e.type = any (:types::text[]))
    order by e.position
    limit :limit)
    union all
    select 1, 0, 0, 'created', j.created_at, null, null, null from longhaul.job j where j.id = :id
    union all
    select r.started_position, r.run, 0, 'started', r.started_at, null, null, null
    from longhaul.job_run r where r.job_id = :id
    union all
    select r.ended_position, r.run, 0,
        case r.status when 2 then 'retrying' when 4 then 'snoozed' when 5 then 'released' else 'lost' end,
        r.ended_at, null, r.error_code, r.error_message
    from longhaul.job_run r where r.job_id = :id and r.ended_position is not null
    union all
    select j.started_position, j.run, 0, 'started', j.started_at, null, null, null
    from longhaul.live_job j where j.id = :id and j.state >= 2
    union all
    select j.started_position, j.run, 0, 'started', j.started_at, null, null, null
    from longhaul.finished_job j
    where j.id = :id and j.ended_run > 0
        and not exists (select from longhaul.job_run r where r.job_id = j.id and r.run = j.ended_run)
    union all
    select j.ended_position, j.ended_run, 0, case j.state when 4 then 'succeeded' when 5 then 'failed' else 'cancelled' end,
        j.finished_at, null, j.error_code, j.error_message
    from longhaul.finished_job j where j.id = :id and j.ended_run > 0
) e
where e.position > :after
    and (:run::int is null or e.run = :run)
    and e.sequence >= :fromSequence
    and (:from::timestamptz is null or e.at >= :from::timestamptz)
    and (:types::text[] is null or e.type = any (:types::text[]))
order by e.position
limit :limit
