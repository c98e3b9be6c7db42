{known_definitions}
order by k.definition_key, k.definition_version
