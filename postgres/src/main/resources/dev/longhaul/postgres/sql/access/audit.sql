-- A page of audit entries, newest first. Ordered by the database's clock, because the clocks of the processes that
-- create the ids differ.
select id, at, actor, actor_key_id, action, subject, detail
from longhaul.audit_entry
where :before::uuid is null or (at, id) < (select b.at, b.id from longhaul.audit_entry b where b.id = :before::uuid)
order by at desc, id desc
limit :limit
