{known_definitions}
where k.definition_key = :key and k.definition_version = :version
