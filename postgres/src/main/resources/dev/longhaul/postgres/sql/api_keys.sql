select id, name, role, created_at, created_by, last_used_at, revoked_at, queues
from longhaul.api_key
order by created_at desc, id desc
