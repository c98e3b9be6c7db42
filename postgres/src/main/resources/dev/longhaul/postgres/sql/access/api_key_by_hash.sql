select {api_key_columns}
from longhaul.api_key k
where k.hash = :hash and k.revoked_at is null
