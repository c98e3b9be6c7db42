-- Sets or, with null, lifts the limit of a definition. A first limit begins to count with the claims that follow.
insert into longhaul.definition_limit (definition_key, max_running, running) values (:key, :limit, 0)
on conflict (definition_key) do update set max_running = excluded.max_running
