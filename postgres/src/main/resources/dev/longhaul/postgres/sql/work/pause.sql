insert into longhaul.queue (name, paused_at, paused_by, paused_note)
values (:queue, longhaul.clock(), :by, :note)
on conflict (name) do update
set paused_at = excluded.paused_at, paused_by = excluded.paused_by, paused_note = excluded.paused_note
