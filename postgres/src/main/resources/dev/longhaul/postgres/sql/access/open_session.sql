-- Opens a session for a key that is not revoked, and removes expired sessions.
with over as (
    delete from longhaul.session where expires_at <= longhaul.clock() and hash <> :hash
)
insert into longhaul.session (hash, key_id, expires_at)
select :hash, k.id, longhaul.clock() + :life * interval '1 microsecond'
from longhaul.api_key k
where k.id = :keyId and k.revoked_at is null
on conflict (hash) do update set key_id = excluded.key_id, expires_at = excluded.expires_at
