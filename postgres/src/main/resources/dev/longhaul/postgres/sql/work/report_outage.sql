-- Restarts the period for which the database must have been available before expired leases are ended (lead.sql).
update longhaul.leader set looked_at = longhaul.clock(), steady_since = longhaul.clock()
