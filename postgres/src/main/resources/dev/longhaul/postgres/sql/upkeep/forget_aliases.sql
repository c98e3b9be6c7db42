-- Removes a batch of aliases whose first job is gone.
delete from longhaul.intake_alias a
using (
    select old.id from longhaul.intake_alias old
    where old.id < longhaul.lowest_id(:cutoff::timestamptz)
        and not exists (select from longhaul.live_job j where j.id = old.first_id)
        and not exists (select from longhaul.finished_job j where j.id = old.first_id)
    limit :max
) gone
where a.id = gone.id
