select {api_key_columns}
from longhaul.api_key k
order by k.created_at desc, k.id desc
