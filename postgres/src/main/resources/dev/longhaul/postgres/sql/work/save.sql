-- planner: index only
-- What runs report of themselves. Their rows are locked and their claims checked (lock_claims.sql).
update longhaul.live_job j
set progress = coalesce(s.progress, j.progress),
    progress_message = case when s.progress is null then j.progress_message else s.message end,
    position = s.position, last_sequence = s.last_sequence, updated_at = longhaul.clock(), begun = true
from unnest(:ids::uuid[], :progresses::smallint[], :messages::text[], :positions::int[], :sequences::int[])
    as s (id, progress, message, position, last_sequence)
where j.id = s.id
