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
 * How the queues stand that there are now. So many have time series of their own, those whose jobs wait longest first; the rest
 * shares one. Those of a queue that is gone go with it.
 */
final class QueueGauges {
    private static final double MILLIS = 1000.0;
    private static final List<JobStatus> NOT_ENDED = Arrays.stream(JobStatus.values())
            .filter(status -> !status.state().terminal())
            .toList();
    /** By name in the end, so that equal ones do not change places from look to look. */
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
                .description("Jobs of a queue that have not ended, by status.")
                .register(registry);
        this.oldest = MultiGauge.builder("longhaul.queue.oldest.due")
                .description("How long the job that is due longest has been waiting.")
                .baseUnit("seconds")
                .register(registry);
        this.paused = MultiGauge.builder("longhaul.queue.paused")
                .description("Whether somebody has paused the queue.")
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
            // Without those that are paused: some may be and others not, and these are to be heard of. The rest is
            // sorted by that.
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

    /** How long its oldest job waits for nothing but a worker. */
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
