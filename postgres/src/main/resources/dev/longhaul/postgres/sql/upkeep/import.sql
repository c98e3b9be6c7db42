-- Adds rows that were exported; those that are here already stay as they are. {unless} tells which are not wanted, {held} are the
-- fields that keep a row from being used whose secrets were masked.
insert into longhaul.{table}
select given.*
from unnest(:lines::text[]) as line (text)
cross join lateral json_populate_record(null::longhaul.{table}, case
    when right(line.text, 16) = ',"masked": true}' then ((line.text::jsonb -> '{table}') || {held})::json
    else line.text::json -> '{table}' end) as given
where not ({unless})
on conflict do nothing
