package dev.longhaul.queue;

import dev.longhaul.job.JobStatus;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue.
 *
 * @param counts jobs by status; a status without jobs is absent
 * @param oldestDue how long the oldest due job has been due; null when none is due
 * @param maxDepth the most jobs that may wait; null means no limit
 * @param estimated whether the counts are from a sample, because there are too many jobs to count; the count of
 * running jobs is exact
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

    /** Statistics with exact counts. */
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
