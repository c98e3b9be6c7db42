-- The active workers that report a definition.
select w.id
from longhaul.worker w
where w.gone_at is null and not w.draining and w.last_seen_at > longhaul.clock() - :lost * interval '1 microsecond'
    and :name = any (w.definitions)
order by w.id collate "C"
