-- Ends the runs of jobs that were running when they were exported without their secrets: such jobs are imported as
-- held.
insert into longhaul.job_run (job_id, run, attempt, status, lease_key, worker_id, started_at, ended_at, started_position,
    error_code, error_message)
select given.id, given.run, given.attempts, 6, given.lease_key, given.worker_id, given.started_at,
    greatest(given.started_at, longhaul.clock()), given.started_position, 'lost', 'imported without its secrets'
from unnest(:lines::text[]) as line (text)
cross join lateral json_populate_record(null::longhaul.live_job, line.text::json -> 'live_job') as given
join longhaul.live_job j on j.id = given.id and j.run = given.run and j.state = 0
where given.state = 2 and right(line.text, 16) = ',"masked": true}'
on conflict do nothing
