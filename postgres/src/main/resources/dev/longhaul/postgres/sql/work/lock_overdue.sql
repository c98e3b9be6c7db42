-- planner: index only
-- Locks runs of remote workers past their deadline. Reads all leased jobs, as lock_lapsed.sql does.
select {run_columns}
from longhaul.live_job j
where j.state >= 2 and j.end_margin_millis is not null and j.id > :after::uuid
    and longhaul.clock() - j.end_margin_millis * interval '1 millisecond' >= least(
        j.started_at + j.timeout_seconds * interval '1 second',
        case when j.state = 3 then
            j.cancel_requested_at + coalesce(j.cancel_grace_millis, :defaultGraceMillis) * interval '1 millisecond' end)
order by j.id
limit :max
for update skip locked
