-- Revokes a key and ends its sessions; the first one to revoke it stands.
with ended as (
    delete from longhaul.session where key_id = :id
)
update longhaul.api_key
set revoked_at = coalesce(revoked_at, longhaul.clock()), revoked_by = coalesce(revoked_by, :by)
where id = :id
returning id, name, role, created_at, created_by, last_used_at, revoked_at, queues
