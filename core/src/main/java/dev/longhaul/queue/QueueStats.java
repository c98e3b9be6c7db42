package dev.longhaul.queue;

import dev.longhaul.job.JobStatus;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a queue stands.
 *
 * @param counts jobs by status; a status without jobs is absent
 * @param oldestDue how long the job that is due longest has been waiting; null when none is due
 * @param maxDepth most jobs that may wait; null means any number
 * @param estimated whether the counts are from a sample, because there are too many jobs to count; those that run are exact
 */
public record QueueStats(
        String queue,
        Map<JobStatus, Long> counts,
        @Nullable Duration oldestDue,
        @Nullable Pause pause,
        @Nullable Integer maxDepth,
        boolean estimated) {
    public QueueStats {
        counts = Map.copyOf(counts);
    }

    /** With counts that are exact. */
    public QueueStats(
            String queue,
            Map<JobStatus, Long> counts,
            @Nullable Duration oldestDue,
            @Nullable Pause pause,
            @Nullable Integer maxDepth) {
        this(queue, counts, oldestDue, pause, maxDepth, false);
    }

    public long count(JobStatus status) {
        return counts.getOrDefault(status, 0L);
    }
}
