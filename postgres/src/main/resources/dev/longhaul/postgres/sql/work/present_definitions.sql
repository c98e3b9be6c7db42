-- All versions of some keys.
{known_definitions}
where k.definition_key = any (:keys::text[])
order by k.definition_key, k.definition_version
