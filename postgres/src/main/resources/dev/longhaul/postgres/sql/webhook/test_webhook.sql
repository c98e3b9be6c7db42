insert into longhaul.webhook_delivery as d (id, webhook_id, event, at, since, next_try_at)
select :id, w.id, 'webhook.test', longhaul.clock(), longhaul.clock(), longhaul.clock()
from longhaul.webhook w
where w.id = :webhookId and w.enabled
on conflict (id) do update set id = excluded.id
returning {delivery_columns}
