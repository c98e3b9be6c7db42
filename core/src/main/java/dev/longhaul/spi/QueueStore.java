package dev.longhaul.spi;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.queue.QueuePosition;
import dev.longhaul.queue.QueueStats;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The queues, their settings, and why jobs wait in them. */
public interface QueueStore {
    /** Every queue that has jobs or settings, by name. */
    List<QueueStats> all();

    /** Why the job is still waiting; empty when the job does not exist. */
    Optional<QueuePosition> position(JobId id);

    /**
     * How many jobs a worker with free slots could claim now, ignoring concurrency limits and jobs on their last life.
     */
    long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions);

    /** Pauses a queue: workers claim none of its jobs until it is resumed. */
    void pause(String queue, @Nullable String by, @Nullable String note);

    void resume(String queue);

    /** Limits how many jobs may wait in a queue; null removes the limit. */
    void maxDepth(String queue, @Nullable Integer maxDepth);
}
