package dev.longhaul.observe;

import dev.longhaul.job.JobStatus;
import dev.longhaul.queue.QueueStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Gauges of the current queues. A limited number of queues, those with the longest wait, have their own time series;
 * all others share one. The time series of a queue ends when the queue no longer exists.
 */
final class QueueGauges {
    private static final double MILLIS = 1000.0;
    private static final List<JobStatus> NOT_ENDED = Arrays.stream(JobStatus.values())
            .filter(status -> !status.state().terminal())
            .toList();
    /** Compares names last, so that queues that are otherwise equal keep their order between refreshes. */
    private static final Comparator<QueueStats> MOST_URGENT_FIRST = Comparator.comparing(QueueGauges::late)
            .thenComparing(QueueGauges::oldestDue)
            .thenComparing(QueueGauges::inUse)
            .reversed()
            .thenComparing(QueueStats::queue);

    private final int most;
    private final MultiGauge depth;
    private final MultiGauge oldest;
    private final MultiGauge paused;

    QueueGauges(MeterRegistry registry, int most) {
        this.most = most;
        this.depth = MultiGauge.builder("longhaul.queue.jobs")
                .description("Unfinished jobs of a queue, by status.")
                .register(registry);
        this.oldest = MultiGauge.builder("longhaul.queue.oldest.due")
                .description("How long the longest-due job has been waiting.")
                .baseUnit("seconds")
                .register(registry);
        this.paused = MultiGauge.builder("longhaul.queue.paused")
                .description("1 while the queue is paused, else 0.")
                .register(registry);
    }

    void show(List<QueueStats> queues) {
        List<QueueStats> sorted = queues.stream().sorted(MOST_URGENT_FIRST).toList();
        List<QueueStats> own = sorted.subList(0, Math.min(most, sorted.size()));
        List<QueueStats> rest = sorted.subList(own.size(), sorted.size());
        var depths = new ArrayList<MultiGauge.Row<?>>();
        var ages = new ArrayList<MultiGauge.Row<?>>();
        var pauses = new ArrayList<MultiGauge.Row<?>>();
        for (QueueStats queue : own) {
            addDepths(depths, queue.queue(), List.of(queue));
            ages.add(MultiGauge.Row.of(Tags.of("queue", queue.queue()), seconds(oldestDue(queue))));
            pauses.add(MultiGauge.Row.of(Tags.of("queue", queue.queue()), queue.pause() == null ? 0 : 1));
        }
        if (!rest.isEmpty()) {
            addDepths(depths, BoundedLabel.OTHER, rest);
            // The list is sorted by late(), which ignores paused queues: the long wait of a paused queue would hide a
            // late queue.
            ages.add(MultiGauge.Row.of(Tags.of("queue", BoundedLabel.OTHER), seconds(late(rest.get(0)))));
        }
        depth.register(depths, true);
        oldest.register(ages, true);
        paused.register(pauses, true);
    }

    private static void addDepths(List<MultiGauge.Row<?>> depths, String name, List<QueueStats> queues) {
        for (JobStatus status : NOT_ENDED) {
            long jobs = queues.stream().mapToLong(one -> one.count(status)).sum();
            depths.add(MultiGauge.Row.of(Tags.of("queue", name, "status", status.wireName()), jobs));
        }
    }

    private static Duration oldestDue(QueueStats queue) {
        Duration due = queue.oldestDue();
        return due == null ? Duration.ZERO : due;
    }

    /** Returns the wait of the oldest due job; zero while the queue is paused. */
    private static Duration late(QueueStats queue) {
        return queue.pause() == null ? oldestDue(queue) : Duration.ZERO;
    }

    private static boolean inUse(QueueStats queue) {
        return NOT_ENDED.stream().anyMatch(status -> queue.count(status) > 0);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / MILLIS;
    }
}
