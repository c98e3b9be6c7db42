-- planner: index only
-- Whether a claim of jobs on their last life would find one.
select exists (
    select
    from longhaul.live_job j
    left join longhaul.definition_limit d on d.definition_key = j.definition_key
    where j.state = 1 and longhaul.on_last_life(j.crashes) and j.queue = any (:queues::text[]) and j.run_at <= longhaul.clock()
        and (d.max_running is null or d.running < d.max_running)
        and (:anyDefinition or exists (
            select from unnest(:keys::text[], :versions::int[]) as known (key, version)
            where known.key = j.definition_key and known.version = j.definition_version))
        and not exists (select from longhaul.queue q where q.name = j.queue and q.paused_at is not null)) as due
