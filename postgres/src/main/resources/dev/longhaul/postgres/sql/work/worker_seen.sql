-- Stores a worker's report; returns whether the worker is new.
insert into longhaul.worker (id, started_at, last_seen_at, pid, slots, running, stuck, draining, host, version, queues,
    definitions)
values (:id, longhaul.clock(), longhaul.clock(), :pid, :slots, :running, :stuck, :draining, :host, :version, :queues::text[],
    :definitions::text[])
on conflict (id) do update
set last_seen_at = excluded.last_seen_at, gone_at = null, pid = excluded.pid, slots = excluded.slots,
    running = excluded.running, stuck = excluded.stuck, draining = excluded.draining, host = excluded.host, version = excluded.version,
    queues = excluded.queues, definitions = excluded.definitions
-- xmax is set only if the row existed before.
returning xmax = 0 as is_new
