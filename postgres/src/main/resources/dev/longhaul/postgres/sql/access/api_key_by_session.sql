select {api_key_columns}
from longhaul.session s
join longhaul.api_key k on k.id = s.key_id
where s.hash = :hash and s.expires_at > longhaul.clock() and k.revoked_at is null
