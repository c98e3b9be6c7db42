-- Whether jobs of a definition are held, wait or run. Rare, so that no index is worth its price.
select exists (
    select from longhaul.live_job j where j.definition_key = :key and j.definition_version = :version) as in_use
