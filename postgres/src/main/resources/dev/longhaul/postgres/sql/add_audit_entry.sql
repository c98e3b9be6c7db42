insert into longhaul.audit_entry (id, at, actor, action, subject, detail)
values (:id, longhaul.clock(), :actor, :action, :subject, :detail)
on conflict (id) do nothing
