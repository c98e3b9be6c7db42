-- planner: index only
-- Returns how the runs of invalid claims ended, so that a repeated report of the stored outcome is accepted and a stale
-- report is rejected. The run's row takes precedence over the job's row, whose states 4, 5, 6 are run statuses 1, 2, 3.
select claim.id, claim.run, claim.key as lease_key, coalesce(r.status, f.state - 3) as status,
    case when r.status is null then f.error_code else r.error_code end as error_code
from unnest(:ids::uuid[], :runs::int[], :keys::uuid[]) as claim (id, run, key)
left join lateral (
    select r.status, r.error_code from longhaul.job_run r
    where r.job_id = claim.id and r.run = claim.run and r.lease_key = claim.key offset 0
) r on true
left join lateral (
    select f.state, f.error_code from longhaul.finished_job f
    where f.id = claim.id and f.ended_run = claim.run and f.lease_key = claim.key offset 0
) f on true
where r.status is not null or f.state is not null
