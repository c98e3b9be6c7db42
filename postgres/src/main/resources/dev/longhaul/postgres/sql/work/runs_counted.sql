-- planner: index only
-- Whether the count of a limited definition includes all of its runs.
select not exists (select from longhaul.definition_limit l where l.definition_key = :key and l.max_running is not null)
    or not exists (select from longhaul.live_job j where j.state >= 2 and not j.counted and j.definition_key = :key) as counted
