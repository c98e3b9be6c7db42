-- Stores the current state of a schedule. An existing one, whose row is locked, is replaced if requested. Returns no
-- row if it exists and must not be replaced.
insert into longhaul.schedule (key, created_at, updated_at, next_fire_at, version, runs, last_fire_at, last_job_id, paused_at,
    paused_by, paused_note, definition_version, timeout_seconds, rank, max_attempts, definition_key, queue, params, name,
    labels, cron, time_zone, dst, every_seconds, anchor, fire_times, start_at, end_at, max_runs, jitter_seconds, catch_up,
    catch_up_max, catch_up_window_seconds, overlap, secrets)
values (:key, :createdAt::timestamptz, :updatedAt::timestamptz, :nextFireAt::timestamptz, :version, :runs,
    :lastFireAt::timestamptz, :lastJobId::uuid, :pausedAt::timestamptz, :pausedBy, :pausedNote, :definitionVersion, :timeout,
    :rank, :maxAttempts, :definitionKey, :queue, :params, :name, :labels::text[], :cron, :timeZone, :dst, :everySeconds,
    :anchor::timestamptz, :fireTimes::timestamptz[], :startAt::timestamptz, :endAt::timestamptz, :maxRuns, :jitter, :catchUp,
    :catchUpMax, :catchUpWindow, :overlap, :secrets)
on conflict (key) do update
set updated_at = excluded.updated_at, next_fire_at = excluded.next_fire_at, version = excluded.version, runs = excluded.runs,
    last_fire_at = excluded.last_fire_at, last_job_id = excluded.last_job_id, paused_at = excluded.paused_at,
    paused_by = excluded.paused_by, paused_note = excluded.paused_note, definition_version = excluded.definition_version,
    timeout_seconds = excluded.timeout_seconds, rank = excluded.rank, max_attempts = excluded.max_attempts,
    definition_key = excluded.definition_key, queue = excluded.queue, params = excluded.params, name = excluded.name,
    labels = excluded.labels, cron = excluded.cron, time_zone = excluded.time_zone, dst = excluded.dst,
    every_seconds = excluded.every_seconds, anchor = excluded.anchor, fire_times = excluded.fire_times,
    start_at = excluded.start_at, end_at = excluded.end_at, max_runs = excluded.max_runs,
    jitter_seconds = excluded.jitter_seconds, catch_up = excluded.catch_up, catch_up_max = excluded.catch_up_max,
    catch_up_window_seconds = excluded.catch_up_window_seconds, overlap = excluded.overlap,
    secrets = excluded.secrets
where :replace
returning key
