-- Ends a term at once. What is known of looks stays, so that a successor can go on from there.
update longhaul.leader l
set term_until = longhaul.clock()
where l.holder = :holder and l.epoch = :epoch and l.term_until > longhaul.clock()
