select (select count(*) from longhaul.webhook_delivery where state = 0),
    (select count(*) from longhaul.webhook_delivery where state = 2),
    (select min(next_try_at) from longhaul.webhook_delivery where state = 0 and next_try_at <= longhaul.clock())
