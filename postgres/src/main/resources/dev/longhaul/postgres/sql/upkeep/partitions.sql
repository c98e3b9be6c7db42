-- The partitions of a table.
select child.relname as name
from pg_catalog.pg_inherits i
join pg_catalog.pg_class child on child.oid = i.inhrelid
where i.inhparent = ('longhaul.' || :parent)::regclass
order by child.relname
