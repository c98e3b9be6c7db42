-- Whether jobs of a definition are held, waiting or running. This statement is rare, so an index is not worth its cost.
select exists (
    select from longhaul.live_job j where j.definition_key = :key and j.definition_version = :version) as in_use
