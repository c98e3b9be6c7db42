{known_definitions}
where k.definition_key = :key
order by k.definition_version desc
limit 1
