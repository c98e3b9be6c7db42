-- Removes imported jobs that have finished here: an insert that waited for the end of the same job did not see that end
-- in its snapshot.
delete from longhaul.live_job l
using unnest(:lines::text[]) as line (text)
where l.id = (line.text::json -> 'live_job' ->> 'id')::uuid
    and exists (select from longhaul.finished_job f where f.id = l.id)
