select id, host, pid, version, queues, definitions, slots, running, draining, started_at, last_seen_at, stuck,
    gone_at is not null as gone, longhaul.clock() as now
from longhaul.worker
where last_seen_at > longhaul.clock() - :forgotten * interval '1 microsecond'
order by host collate "C", id collate "C"
