select {api_key_columns}
from longhaul.api_key k
where k.id = :id
