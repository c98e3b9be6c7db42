select p.partition, p.next_offset, p.at from longhaul.intake_progress p order by p.partition
