-- Every row of a table as JSON. {overrides} are fields that are only valid in this database, {mask} those that replace its
-- secrets; {masked} is whether it has secrets.
select (to_jsonb(t) || '{overrides}'::jsonb || {mask})::text, {masked} from longhaul.{table} t
