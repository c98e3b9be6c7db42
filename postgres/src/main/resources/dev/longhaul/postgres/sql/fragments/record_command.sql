-- Inserts the event and the audit entry of a command that changed the job in "changed". auditId is null when there is
-- no audit entry.
evented as (
    insert into longhaul.job_event (job_id, position, run, sequence, type, at, payload)
    select c.id, c.position, 0, 0, :event, c.updated_at, :payload
    from changed c
), audited as (
    insert into longhaul.audit_entry (id, at, actor, actor_key_id, action, subject, detail)
    select :auditId::uuid, longhaul.clock(), :actor, :actorKeyId::uuid, :action, :subject, :detail
    from changed c
    where :auditId::uuid is not null
    on conflict (id) do nothing
)
