-- Every row of a table as JSON. {overrides} are fields that mean something only in this database, {mask} those that replace its
-- secrets; {masked} tells whether it has some.
select (to_jsonb(t) || '{overrides}'::jsonb || {mask})::text, {masked} from longhaul.{table} t
