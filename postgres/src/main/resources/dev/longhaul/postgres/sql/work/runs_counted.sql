-- planner: index only
-- Whether every run of a limited definition is in its count.
select not exists (select from longhaul.definition_limit l where l.definition_key = :key and l.max_running is not null)
    or not exists (select from longhaul.live_job j where j.state >= 2 and not j.counted and j.definition_key = :key) as counted
