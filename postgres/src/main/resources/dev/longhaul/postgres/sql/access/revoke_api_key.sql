-- Revokes a key and ends its sessions; a second revocation changes nothing.
with ended as (
    delete from longhaul.session where key_id = :id
)
update longhaul.api_key k
set revoked_at = coalesce(k.revoked_at, longhaul.clock()), revoked_by = coalesce(k.revoked_by, :by)
where k.id = :id
returning {api_key_columns}
