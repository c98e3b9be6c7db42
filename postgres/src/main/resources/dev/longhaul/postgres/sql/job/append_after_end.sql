-- planner: index only
-- Appends events to a job that has ended. The job's row is locked and provides the positions of the events.
with ended as (
    update longhaul.finished_job j
    set position = j.position + cardinality(:payloads::text[])
    where j.id = :id
    returning j.id, j.run, j.position - cardinality(:payloads::text[]) as position
)
insert into longhaul.job_event (job_id, position, run, sequence, type, at, payload)
select ended.id, ended.position + e.nth, ended.run, 0, :type, longhaul.clock(), e.payload
from ended
cross join unnest(:payloads::text[]) with ordinality as e (payload, nth)
