insert into longhaul.audit_entry (id, at, actor, actor_key_id, action, subject, detail)
values (:auditId, longhaul.clock(), :actor, :actorKeyId::uuid, :action, :subject, :detail)
on conflict (id) do nothing
