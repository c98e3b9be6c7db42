select s.at, s.queue, s.definition_key, s.succeeded, s.failed, s.retried, s.cancelled, s.wait_steps, s.wait_counts,
    s.run_steps, s.run_counts
from longhaul.run_stats s
where s.seconds = :seconds and s.at >= :from::timestamptz
