-- Records how far a writer has stored partitions; changes nothing if another writer has taken one of them over.
with mine as materialized (
    select p.partition from longhaul.intake_progress p
    where p.partition = any (:partitions::int[]) and p.writer = :writer
    order by p.partition
    for update
)
update longhaul.intake_progress p set next_offset = g.next_offset, at = g.at
from unnest(:partitions::int[], :nextOffsets::bigint[], :ats::timestamptz[]) as g (partition, next_offset, at)
where p.partition = g.partition and p.writer = :writer
    and (select count(*) from mine) = cardinality(:partitions::int[])
