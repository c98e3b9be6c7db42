package dev.longhaul.postgres.job;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.work.Lanes;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.queue.Standing;
import dev.longhaul.spi.QueueStore;
import dev.longhaul.spi.Signal;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Queues: what is in them, pauses and limits. */
public final class PostgresQueues implements QueueStore {
    private final Reads reads;
    private final Queues queues;
    private final Queues counts;
    private final Lanes lanes;
    private final Signals signals;

    /** @param counts where jobs are counted */
    public PostgresQueues(Reads reads, Queues queues, Queues counts, Lanes lanes, Signals signals) {
        this.reads = reads;
        this.queues = queues;
        this.counts = counts;
        this.lanes = lanes;
        this.signals = signals;
    }

    @Override
    public Optional<Standing> standing(JobId id) {
        return reads.find(id).map(queues::standing);
    }

    @Override
    public List<QueueStats> all() {
        return counts.stats();
    }

    @Override
    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return lanes.dueCount(queues, definitions);
    }

    @Override
    public void pause(String queue, @Nullable String by, @Nullable String note) {
        queues.pause(queue, by, note);
    }

    @Override
    public void resume(String queue) {
        queues.resume(queue);
        signals.send(new Signal(Signal.Kind.WORK, queue));
    }

    @Override
    public void maxDepth(String queue, @Nullable Integer maxDepth) {
        queues.maxDepth(queue, maxDepth);
    }

    @Override
    public void concurrencyLimit(String definitionKey, int limit) {
        queues.concurrencyLimit(definitionKey, limit);
    }
}
