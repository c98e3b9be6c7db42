delete from longhaul.worker where last_seen_at <= longhaul.clock() - :forgotten * interval '1 microsecond'
