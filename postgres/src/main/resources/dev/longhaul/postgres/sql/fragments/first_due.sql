-- Due deliveries d without an earlier pending event of their job for the same webhook, in the order of the index, so
-- that a search can end early. Offset 0 prevents exists from becoming a join, which on a table without statistics reads
-- all pending deliveries of the webhook.
d.next_try_at <= longhaul.clock()
            and not exists (
                select from longhaul.webhook_delivery earlier
                where earlier.webhook_id = d.webhook_id and earlier.job_id = d.job_id and earlier.state = 0
                    and earlier.turn < d.turn
                offset 0)
        order by d.webhook_id, d.next_try_at, d.turn
