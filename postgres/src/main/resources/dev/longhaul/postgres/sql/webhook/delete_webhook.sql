with gone as (
    delete from longhaul.webhook w where w.id = :id returning w.id
), sent as (
    delete from longhaul.webhook_delivery d using gone g where d.webhook_id = g.id
)
select id from gone
