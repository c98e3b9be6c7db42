-- Notes that schedules have fired. One that has fired for that time already makes this fail, and with it all that was to be.
insert into longhaul.schedule_fire (schedule_key, fire_at, fired_at, job_id, cause, outcome)
select g.key, g.fire_at, :firedAt::timestamptz, g.job_id, g.cause, g.outcome
from unnest(:keys::text[], :fireAts::timestamptz[], :jobIds::uuid[], :causes::smallint[], :outcomes::smallint[])
    as g (key, fire_at, job_id, cause, outcome)
