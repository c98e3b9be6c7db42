select max_depth from longhaul.queue where name = :queue for update
