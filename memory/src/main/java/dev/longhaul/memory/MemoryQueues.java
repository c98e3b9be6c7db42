package dev.longhaul.memory;

import dev.longhaul.access.AuditDetail;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueueRules;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.queue.Standing;
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
    private final Gate gate;

    MemoryQueues(Settings settings, JobIndex jobs, Gate gate) {
        this.settings = settings;
        this.jobs = jobs;
        this.gate = gate;
    }

    @Override
    public Optional<Standing> standing(JobId id) {
        return gate.read(() -> Optional.ofNullable(jobs.find(id)).map(job -> standing(job, gate.now())));
    }

    private Standing standing(StoredJob job, Instant now) {
        String key = job.spec().definition().key();
        List<StoredJob> ahead = job.state() == JobState.WAITING ? ahead(job, now) : List.of();
        long running = jobs.leased().stream()
                .filter(other -> other.spec().definition().key().equals(key))
                .count();
        long higher = ahead.stream()
                .filter(other -> other.spec().priority() > job.spec().priority())
                .count();
        return new Standing(
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
                .limit(Standing.MOST_COUNTED)
                .toList();
    }

    @Override
    public List<QueueStats> all() {
        return gate.read(() -> QueueCounts.of(jobs.all(), settings, gate.now()));
    }

    @Override
    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return gate.read(() -> {
            Instant now = gate.now();
            return jobs.waiting(settings, queues, definitions, false)
                    .filter(job -> job.due(now))
                    .count();
        });
    }

    @Override
    public void pause(String queue, @Nullable String by, @Nullable String note) {
        QueueRules.require(queue, null);
        gate.update(now -> {
            var pause = new Pause(now, by, note);
            settings.pause(queue, pause);
            gate.audit().add(now, "queue.pause", queue, () -> AuditDetails.of(pause));
        });
    }

    @Override
    public void resume(String queue) {
        gate.update(now -> {
            settings.resume(queue);
            gate.audit().add(now, "queue.resume", queue);
            boolean due =
                    jobs.waiting().stream().anyMatch(job -> job.spec().queue().equals(queue) && job.due(now));
            if (due) {
                gate.sendLater(new Signal(Signal.Kind.WORK, queue));
            }
        });
    }

    @Override
    public void maxDepth(String queue, @Nullable Integer maxDepth) {
        QueueRules.require(queue, maxDepth);
        gate.update(now -> {
            Integer before = settings.maxDepthOf(queue);
            settings.maxDepth(queue, maxDepth);
            gate.audit()
                    .add(now, "queue.maxDepth", queue, () -> new AuditDetail().change("maxDepth", before, maxDepth));
        });
    }
}
