-- planner: index only
-- How runs ended whose claims no longer hold: tells a repeated outcome from a stale one. Job state for runs that ended with
-- their job (also when the job was retried since: such a run has no event of its own), run status for the others.
select claim.id, coalesce(f.state, case when r.ended_position is null then r.status + 3 end), r.status
from unnest(:ids::uuid[], :runs::int[], :keys::uuid[]) as claim (id, run, key)
left join lateral (
    select f.state from longhaul.finished_job f
    where f.id = claim.id and f.ended_run = claim.run and f.lease_key = claim.key offset 0
) f on true
left join lateral (
    select r.status, r.ended_position from longhaul.job_run r where r.job_id = claim.id and r.run = claim.run and r.lease_key = claim.key offset 0
) r on true
where f.state is not null or r.status is not null
