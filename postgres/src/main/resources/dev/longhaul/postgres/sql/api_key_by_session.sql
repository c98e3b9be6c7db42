select k.id, k.name, k.role, k.created_at, k.created_by, k.last_used_at, k.revoked_at, k.queues
from longhaul.session s
join longhaul.api_key k on k.id = s.key_id
where s.hash = :hash and s.expires_at > longhaul.clock() and k.revoked_at is null
