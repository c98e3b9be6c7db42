-- The columns that note_effects.sql reads, of rows of "claimed" (claimed_columns.sql).
select c.id, '{job.started}'::text[] as events, c.started_at as at, null::timestamptz as hooks_at, c.position,
        c.definition_key, c.definition_version, c.queue, c.run, c.attempts, c.name, c.correlation_id, c.labels, c.traceparent,
        null::text as error_code, null::text as error_message
    from claimed c
