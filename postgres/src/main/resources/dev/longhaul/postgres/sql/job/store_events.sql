-- Events at positions that were given under their jobs' row locks.
insert into longhaul.job_event (job_id, position, run, sequence, type, at, payload)
select e.job_id, e.position, e.run, e.sequence, e.type, coalesce(e.at, longhaul.clock()), e.payload
from unnest(:ids::uuid[], :positions::int[], :runs::int[], :sequences::int[], :types::text[], :ats::timestamptz[],
    :payloads::text[]) as e (job_id, position, run, sequence, type, at, payload)
