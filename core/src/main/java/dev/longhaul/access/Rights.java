package dev.longhaul.access;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import java.util.List;

/**
 * The permissions of an API key.
 *
 * @param queues queues that a worker may claim jobs from, in order; empty means all queues. Only workers are
 * restricted to queues
 */
public record Rights(Role role, List<String> queues) {
    /** The most queues that a key may name. */
    public static final int MOST_QUEUES = 100;

    public Rights {
        queues = queues.stream().distinct().sorted().toList();
        new Problems()
                .require(queues.isEmpty() || role == Role.WORKER, "queues", queues, "none unless the role is worker")
                .require(queues.size() <= MOST_QUEUES, "queues", queues.size(), "at most " + MOST_QUEUES)
                .require(queues.stream().allMatch(Names::valid), "queues", queues, Names.RULE)
                .throwIfAny();
    }

    public static Rights of(Role role) {
        return new Rights(role, List.of());
    }

    /** Whether the key is restricted to some queues. */
    public boolean bound() {
        return !queues.isEmpty();
    }

    /** Whether the queue restriction permits work on jobs of that queue. */
    public boolean reaches(String queue) {
        return queues.isEmpty() || queues.contains(queue);
    }
}
