select {delivery_columns}
from longhaul.webhook_delivery d
where d.id = :id
