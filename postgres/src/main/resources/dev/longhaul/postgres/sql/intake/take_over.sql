-- Makes a writer the only one that may store these partitions. Sorted, so that two writers cannot deadlock.
insert into longhaul.intake_progress as p (partition, writer)
select g.partition, :writer from unnest(:partitions::int[]) as g (partition)
order by g.partition
on conflict (partition) do update set writer = excluded.writer
returning p.partition, p.next_offset
