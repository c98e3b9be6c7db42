insert into longhaul.queue (name, max_depth) values (:queue, :maxDepth)
on conflict (name) do update set max_depth = excluded.max_depth
