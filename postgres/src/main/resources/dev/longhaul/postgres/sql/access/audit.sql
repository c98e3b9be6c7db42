-- The newest first. The ids are made by processes whose clocks differ, so the order is that of the database's clock.
select id, at, actor, actor_key_id, action, subject, detail
from longhaul.audit_entry
where :before::uuid is null or (at, id) < (select b.at, b.id from longhaul.audit_entry b where b.id = :before::uuid)
order by at desc, id desc
limit :limit
