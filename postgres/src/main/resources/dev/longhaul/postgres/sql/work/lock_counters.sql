-- Locks the counters of limited definitions in the order of their keys, before a transaction changes them in more than
-- one
-- statement: in another order they could deadlock with a claim.
select l.definition_key
from longhaul.definition_limit l
where l.definition_key = any (:keys::text[])
order by l.definition_key
for update
