-- Restarts the time that the database must have been available before lapsed leases are ended (lead.sql).
update longhaul.leader set looked_at = longhaul.clock(), steady_since = longhaul.clock()
