delete from longhaul.definition_limit where definition_key = :key
