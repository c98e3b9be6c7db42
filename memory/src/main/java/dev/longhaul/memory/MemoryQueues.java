package dev.longhaul.memory;

import dev.longhaul.access.AuditDetail;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueuePosition;
import dev.longhaul.queue.QueueRules;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.spi.QueueStore;
import dev.longhaul.spi.Signal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Queues: counts, pauses and limits. */
final class MemoryQueues implements QueueStore {
    private final Settings settings;
    private final JobIndex jobs;
    private final StoreLock lock;

    MemoryQueues(Settings settings, JobIndex jobs, StoreLock lock) {
        this.settings = settings;
        this.jobs = jobs;
        this.lock = lock;
    }

    @Override
    public Optional<QueuePosition> position(JobId id) {
        return lock.read(() -> Optional.ofNullable(jobs.find(id)).map(job -> position(job, lock.now())));
    }

    private QueuePosition position(StoredJob job, Instant now) {
        String key = job.spec().definition().key();
        List<StoredJob> ahead = job.state() == JobState.WAITING ? ahead(job, now) : List.of();
        long running = jobs.leased().stream()
                .filter(other -> other.spec().definition().key().equals(key))
                .count();
        long higher = ahead.stream()
                .filter(other -> other.spec().priority() > job.spec().priority())
                .count();
        return new QueuePosition(
                job.view(now),
                settings.pauseOf(job.spec().queue()),
                settings.concurrencyLimitOf(key),
                (int) running,
                ahead.size(),
                (int) higher);
    }

    private List<StoredJob> ahead(StoredJob job, Instant now) {
        return jobs.waiting().stream()
                .takeWhile(other -> !other.id().equals(job.id()))
                .filter(other -> other.due(now)
                        && !other.onLastLife()
                        && other.spec().queue().equals(job.spec().queue()))
                .limit(QueuePosition.MOST_COUNTED)
                .toList();
    }

    @Override
    public List<QueueStats> all() {
        return lock.read(() -> QueueCounts.of(jobs.all(), settings, lock.now()));
    }

    @Override
    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return lock.read(() -> {
            Instant now = lock.now();
            return jobs.waiting(settings, queues, definitions, false)
                    .filter(job -> job.due(now))
                    .count();
        });
    }

    @Override
    public void pause(String queue, @Nullable String by, @Nullable String note) {
        QueueRules.require(queue, null);
        lock.update(now -> {
            var pause = new Pause(now, by, note);
            settings.pause(queue, pause);
            lock.audit().add(now, "queue.pause", queue, () -> AuditDetails.of(pause));
        });
    }

    @Override
    public void resume(String queue) {
        lock.update(now -> {
            settings.resume(queue);
            lock.audit().add(now, "queue.resume", queue);
            boolean due =
                    jobs.waiting().stream().anyMatch(job -> job.spec().queue().equals(queue) && job.due(now));
            if (due) {
                lock.sendLater(new Signal(Signal.Kind.WORK, queue));
            }
        });
    }

    @Override
    public void maxDepth(String queue, @Nullable Integer maxDepth) {
        QueueRules.require(queue, maxDepth);
        lock.update(now -> {
            Integer before = settings.maxDepthOf(queue);
            settings.maxDepth(queue, maxDepth);
            lock.audit()
                    .add(now, "queue.maxDepth", queue, () -> new AuditDetail().change("maxDepth", before, maxDepth));
        });
    }
}
