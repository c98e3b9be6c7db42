-- Changes the limit of a definition that has one.
update longhaul.definition_limit set max_running = :limit where definition_key = :key
