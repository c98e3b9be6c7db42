-- planner: index only
-- Whether a definition's limit is that already, with every run in its count. Workers set the limits they know whenever they
-- start: mostly this is all it takes.
select case when :limit::int is null
    then not exists (select from longhaul.definition_limit l where l.definition_key = :key and l.max_running is not null)
    else exists (select from longhaul.definition_limit l where l.definition_key = :key and l.max_running = :limit)
        and not exists (
            select from longhaul.live_job j where j.state >= 2 and not j.counted and j.definition_key = :key)
    end as stands
