-- Inserts an effect for each job change, a row of "happened", and each consumer that subscribes to it: 0 webhooks, 1
-- hooks, which run at the end of a job. Conditions with "limit 1" are evaluated once per statement: if no consumer can
-- match any of these jobs, no job is matched individually.
insert into longhaul.job_effect as e (consumer, job_id, position, available_at, definition_key, definition_version, events,
        queue, run, attempts, name, correlation_id, labels, traceparent, error_code, error_message)
    select c.consumer, h.id, c.position, c.available_at, h.definition_key, h.definition_version, h.events, h.queue, h.run,
        h.attempts, h.name, h.correlation_id, h.labels, h.traceparent, h.error_code, h.error_message
    from happened h
    cross join lateral (
        select 0::smallint as consumer, h.position, h.at as available_at
        where (select true from longhaul.webhook limit 1)
            and exists (select from longhaul.webhooks_for(h.events, h.id, h.definition_key, h.queue, h.labels))
        union all
        select 1::smallint, 0, h.hooks_at
        where h.hooks_at is not null
            and exists (select from longhaul.hooked_definition hooked where hooked.definition_key = h.definition_key)
    ) c
    where (select true from longhaul.webhook w
            where w.enabled and (w.of_jobs or exists (
                select from happened any_of
                where (w.definition_keys is null or any_of.definition_key = any (w.definition_keys))
                    and w.events && any_of.events))
            limit 1)
        or (select true from longhaul.hooked_definition limit 1)
            and (select true from happened any_of where any_of.hooks_at is not null limit 1)
    -- The row exists if the job was retried before its hooks ran.
    on conflict (consumer, job_id, position) do update set available_at = excluded.available_at
