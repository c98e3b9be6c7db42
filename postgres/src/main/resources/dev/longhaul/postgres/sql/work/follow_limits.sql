-- Sets the limits of some keys to those of their highest versions, and removes the limits of keys without versions.
-- Unchanged rows are not written, because claims lock them.
insert into longhaul.definition_limit as l (definition_key, max_running, running)
select g.key, nullif(h.concurrency_limit, 0), 0
from (select distinct unnest(:keys::text[]) as key) g
left join lateral (
    select k.concurrency_limit from longhaul.known_definition k where k.definition_key = g.key
    order by k.definition_version desc limit 1) h on true
left join longhaul.definition_limit b on b.definition_key = g.key
where b.max_running is distinct from nullif(h.concurrency_limit, 0)
order by g.key
on conflict (definition_key) do update set max_running = excluded.max_running
