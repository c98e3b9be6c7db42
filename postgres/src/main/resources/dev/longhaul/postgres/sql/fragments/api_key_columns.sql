-- The columns of an API key without its hash, from a row k of longhaul.api_key.
k.id, k.name, k.role, k.created_at, k.created_by, k.last_used_at, k.revoked_at, k.queues
