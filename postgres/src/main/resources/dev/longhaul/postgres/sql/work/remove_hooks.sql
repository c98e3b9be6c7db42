delete from longhaul.hooked_definition where definition_key = :key
