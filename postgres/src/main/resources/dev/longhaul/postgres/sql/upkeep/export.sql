-- Every row of a table as JSON. {overrides} are fields that mean something only in this database.
select (to_jsonb(t) || '{overrides}'::jsonb)::text from longhaul.{table} t
