-- Ends a term immediately. The recorded reachability is kept for the successor.
update longhaul.leader l
set term_until = longhaul.clock()
where l.holder = :holder and l.epoch = :epoch and l.term_until > longhaul.clock()
