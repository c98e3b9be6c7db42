-- Removes a batch of rows from held_lease: leases that were extended before the cutoff.
delete from longhaul.held_lease h
using (select old.job_id from longhaul.held_lease old where old.until < :cutoff::timestamptz limit :max) gone
where h.job_id = gone.job_id
