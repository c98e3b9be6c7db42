select {api_key_columns}, k.hash
from longhaul.api_key k
where k.hash = any(:hashes) and k.revoked_at is null
