select {api_key_columns}, s.hash
from longhaul.session s
join longhaul.api_key k on k.id = s.key_id
where s.hash = any(:hashes) and s.expires_at > longhaul.clock() and k.revoked_at is null
