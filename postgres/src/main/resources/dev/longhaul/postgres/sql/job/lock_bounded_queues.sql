-- Serializes inserts into bounded queues, so that the count that follows is exact.
select q.name, q.max_depth
from longhaul.queue q
where q.name = any (:queues::text[]) and q.max_depth is not null
order by q.name
for update
