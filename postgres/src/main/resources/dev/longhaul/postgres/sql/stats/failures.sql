-- planner: index only
-- The newest failed jobs. Found by id, which contains the creation time: the range starts earlier, because a job may
-- fail long after its creation.
select j.id, j.definition_key, j.error_code, j.error_message, j.error_type, null::text as error_stack, j.finished_at
from longhaul.finished_job j
where j.state = 5 and j.state > 4 and j.id >= :lowestId::uuid and j.finished_at >= :since::timestamptz
order by j.id desc
limit :most
