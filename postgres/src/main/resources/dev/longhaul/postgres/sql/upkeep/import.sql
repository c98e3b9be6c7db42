-- Adds rows that were exported; those that are here already stay as they are. {unless} tells which are not wanted.
insert into longhaul.{table}
select given.*
from unnest(:lines::text[]) as line (text)
cross join lateral json_populate_record(null::longhaul.{table}, line.text::json -> '{table}') as given
where not ({unless})
on conflict do nothing
