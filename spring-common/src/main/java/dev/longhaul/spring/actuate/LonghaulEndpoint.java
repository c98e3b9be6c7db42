package dev.longhaul.spring.actuate;

import dev.longhaul.Longhaul;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.job.JobStatus;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.spi.Health;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code /actuator/longhaul}: the queues and workers of the cluster. With {@code management.endpoint.longhaul.access=unrestricted},
 * {@code POST …/mail/pause} pauses the queue mail.
 */
@Endpoint(id = "longhaul", defaultAccess = Access.READ_ONLY)
public final class LonghaulEndpoint {
    private static final String BY = "actuator";

    private final Longhaul longhaul;

    public LonghaulEndpoint(Longhaul longhaul) {
        this.longhaul = longhaul;
    }

    /** The queues, workers and definitions, and whether this process works. */
    public record Overview(
            boolean healthy, String detail, List<Queue> queues, List<Worker> workers, List<String> definitions) {}

    /**
     * A queue.
     *
     * @param jobs unfinished and recent jobs by status
     * @param oldestDueSeconds how long the oldest due job has been due; null when none is due
     */
    public record Queue(
            String name,
            boolean paused,
            Map<String, Long> jobs,
            @Nullable Long oldestDueSeconds) {}

    /** A worker of the cluster. */
    public record Worker(
            String id, String host, String state, int slots, int running, List<String> queues, String lastSeenAt) {}

    /** What to do with a queue. */
    public enum Change {
        PAUSE,
        RESUME
    }

    @ReadOperation
    public Overview overview() {
        Health health = longhaul.health();
        return new Overview(
                health.healthy(),
                health.detail(),
                longhaul.store().queues().all().stream()
                        .map(LonghaulEndpoint::queue)
                        .toList(),
                longhaul.store().catalog().workers().stream()
                        .map(LonghaulEndpoint::worker)
                        .toList(),
                longhaul.registry().all().stream()
                        .map(one -> one.ref().toString())
                        .toList());
    }

    /** The queue of that name; null, and so 404, if it has neither jobs nor settings. */
    @ReadOperation
    public @Nullable Queue queue(@Selector String queue) {
        return longhaul.store().queues().all().stream()
                .filter(one -> one.queue().equals(queue))
                .map(LonghaulEndpoint::queue)
                .findFirst()
                .orElse(null);
    }

    @WriteOperation
    public void change(@Selector String queue, @Selector Change change) {
        switch (change) {
            case PAUSE -> longhaul.store().queues().pause(queue, BY, null);
            case RESUME -> longhaul.store().queues().resume(queue);
        }
    }

    private static Queue queue(QueueStats queue) {
        Map<String, Long> jobs = new TreeMap<>();
        for (JobStatus status : JobStatus.values()) {
            if (queue.count(status) > 0) {
                jobs.put(status.wireName(), queue.count(status));
            }
        }
        Duration due = queue.oldestDue();
        return new Queue(queue.queue(), queue.pause() != null, jobs, due == null ? null : due.toSeconds());
    }

    private static Worker worker(KnownWorker worker) {
        var report = worker.report();
        return new Worker(
                report.workerId(),
                report.host(),
                worker.state().name().toLowerCase(Locale.ROOT),
                report.slots(),
                report.running(),
                report.queues(),
                worker.lastSeenAt().toString());
    }
}
