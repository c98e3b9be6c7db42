-- planner: custom
-- A page of deliveries, newest first.
select {delivery_columns}
from longhaul.webhook_delivery d
where d.webhook_id = :webhookId and (:state::int is null or d.state = :state::int)
    and (:beforeAt::timestamptz is null or (d.at, d.id) < (:beforeAt::timestamptz, :beforeId::uuid))
order by d.at desc, d.id desc
limit :limit
