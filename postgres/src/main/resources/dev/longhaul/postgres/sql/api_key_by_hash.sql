select id, name, role, created_at, created_by, last_used_at, revoked_at, queues
from longhaul.api_key
where hash = :hash and revoked_at is null
