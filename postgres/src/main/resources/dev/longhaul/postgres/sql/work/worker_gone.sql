update longhaul.worker set gone_at = longhaul.clock(), last_seen_at = longhaul.clock() where id = :id
