package dev.longhaul.memory;

import dev.longhaul.queue.Pause;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Settings by operators: paused queues, depths of queues, limits of definitions. */
final class Settings {
    private final Map<String, Pause> pauses = new HashMap<>();
    private final Map<String, Integer> maxDepths = new HashMap<>();
    private final Map<String, Integer> concurrencyLimits = new HashMap<>();

    void pause(String queue, Pause pause) {
        pauses.put(queue, pause);
    }

    void resume(String queue) {
        pauses.remove(queue);
    }

    @Nullable
    Pause pauseOf(String queue) {
        return pauses.get(queue);
    }

    void maxDepth(String queue, @Nullable Integer maxDepth) {
        if (maxDepth == null) {
            maxDepths.remove(queue);
        } else {
            maxDepths.put(queue, maxDepth);
        }
    }

    @Nullable
    Integer maxDepthOf(String queue) {
        return maxDepths.get(queue);
    }

    Set<String> queues() {
        var queues = new HashSet<>(pauses.keySet());
        queues.addAll(maxDepths.keySet());
        return queues;
    }

    void concurrencyLimit(String definitionKey, int limit) {
        if (limit == 0) {
            concurrencyLimits.remove(definitionKey);
        } else {
            concurrencyLimits.put(definitionKey, limit);
        }
    }

    /** Returns the concurrency limit of a definition; 0 when there is no limit. */
    int concurrencyLimitOf(String definitionKey) {
        return concurrencyLimits.getOrDefault(definitionKey, 0);
    }

    /**
     * Returns a filter that accepts a job while its definition has a free slot besides the leased jobs. Each accepted
     * job takes one slot.
     */
    Predicate<StoredJob> freeSlots(Collection<StoredJob> leased) {
        var free = new HashMap<>(concurrencyLimits);
        leased.forEach(job -> free.computeIfPresent(keyOf(job), (key, places) -> places - 1));
        return job -> {
            Integer left = free.computeIfPresent(keyOf(job), (key, places) -> places - 1);
            return left == null || left >= 0;
        };
    }

    private static String keyOf(StoredJob job) {
        return job.spec().definition().key();
    }
}
