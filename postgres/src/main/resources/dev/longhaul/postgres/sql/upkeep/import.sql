-- Adds exported rows; existing rows stay unchanged. {unless} excludes rows, {held} are the fields that prevent rows
-- with masked secrets from being used.
insert into longhaul.{table}
select given.*
from unnest(:lines::text[]) as line (text)
cross join lateral json_populate_record(null::longhaul.{table}, case
    when right(line.text, 16) = ',"masked": true}' then ((line.text::jsonb -> '{table}') || {held})::json
    else line.text::json -> '{table}' end) as given
where not ({unless})
on conflict do nothing
