select number, ended_at, took_millis, status, error, head
from longhaul.webhook_try
where delivery_id = :deliveryId
order by number
