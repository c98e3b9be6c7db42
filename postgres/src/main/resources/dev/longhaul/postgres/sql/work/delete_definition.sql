-- Removes a definition; returns whether it existed.
with registered as (
    delete from longhaul.definition where definition_key = :key and definition_version = :version returning 1
), declared as (
    delete from longhaul.declared_definition where definition_key = :key and definition_version = :version returning 1
)
select exists (select from registered) or exists (select from declared) as deleted
