-- Whoever edits a webhook reads it after this, in a statement of its own, which sees what those before it have committed.
select id from longhaul.webhook where id = :id for no key update
