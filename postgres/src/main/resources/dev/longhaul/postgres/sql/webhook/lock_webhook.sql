-- Locks a webhook before an edit. The edit reads it in a separate statement, which sees all earlier commits.
select id from longhaul.webhook where id = :id for no key update
