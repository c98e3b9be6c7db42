package dev.longhaul.memory;

import dev.longhaul.job.JobStatus;
import dev.longhaul.queue.QueueStats;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts of the jobs of one queue. */
final class QueueCounts {
    private final Map<JobStatus, Long> counts = new EnumMap<>(JobStatus.class);
    private @Nullable Instant dueSince;

    static List<QueueStats> of(Collection<StoredJob> jobs, Settings settings, Instant now) {
        var queues = new TreeMap<String, QueueCounts>();
        settings.queues().forEach(queue -> queues.put(queue, new QueueCounts()));
        for (StoredJob job : jobs) {
            queues.computeIfAbsent(job.spec().queue(), queue -> new QueueCounts())
                    .count(job, now);
        }
        return queues.entrySet().stream()
                .map(entry -> entry.getValue().stats(entry.getKey(), settings, now))
                .toList();
    }

    private void count(StoredJob job, Instant now) {
        counts.merge(job.status(now), 1L, Long::sum);
        if (job.due(now) && (dueSince == null || job.runAt().isBefore(dueSince))) {
            dueSince = job.runAt();
        }
    }

    private QueueStats stats(String queue, Settings settings, Instant now) {
        Duration oldestDue = dueSince == null ? null : Duration.between(dueSince, now);
        return new QueueStats(queue, counts, oldestDue, settings.pauseOf(queue), settings.maxDepthOf(queue));
    }
}
