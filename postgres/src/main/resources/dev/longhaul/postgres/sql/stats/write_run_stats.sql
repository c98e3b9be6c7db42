-- Writes the counts of a process; for an interval that is not over, replaces its earlier row.
insert into longhaul.run_stats (seconds, at, source, queue, definition_key, succeeded, failed, retried, cancelled,
    wait_steps, wait_counts, run_steps, run_counts)
select s.seconds, s.at, :source, s.queue, s.definition_key, s.succeeded, s.failed, s.retried, s.cancelled,
    s.wait_steps::smallint[], s.wait_counts::int[], s.run_steps::smallint[], s.run_counts::int[]
from unnest(:seconds::smallint[], :ats::timestamptz[], :queues::text[], :keys::text[], :succeeded::int[], :failed::int[],
    :retried::int[], :cancelled::int[], :waitSteps::text[], :waitCounts::text[], :runSteps::text[], :runCounts::text[])
    as s (seconds, at, queue, definition_key, succeeded, failed, retried, cancelled, wait_steps, wait_counts, run_steps,
        run_counts)
on conflict (seconds, at, source, queue, definition_key) do update
set succeeded = excluded.succeeded, failed = excluded.failed, retried = excluded.retried, cancelled = excluded.cancelled,
    wait_steps = excluded.wait_steps, wait_counts = excluded.wait_counts, run_steps = excluded.run_steps,
    run_counts = excluded.run_counts
