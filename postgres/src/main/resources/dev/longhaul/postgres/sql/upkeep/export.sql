-- Returns every row of a table as JSON. {overrides} contains fields whose values are only valid in this database,
-- {mask} fields that replace its secrets; {masked} is whether the row has secrets.
select (to_jsonb(t) || '{overrides}'::jsonb || {mask})::text, {masked} from longhaul.{table} t
