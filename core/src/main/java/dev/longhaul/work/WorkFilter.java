package dev.longhaul.work;

import dev.longhaul.job.DefinitionRef;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a worker could claim.
 *
 * @param definitions those the worker can run; null means any
 * @param lastLife true selects only jobs on their last life, false only other jobs
 */
public record WorkFilter(List<String> queues, @Nullable Set<DefinitionRef> definitions, boolean lastLife) {
    /** Selects all jobs of these queues and definitions, except those on their last life. */
    public static WorkFilter of(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return new WorkFilter(queues, definitions, false);
    }

    /** The same filter for jobs on their last life. */
    public WorkFilter forLastLife() {
        return new WorkFilter(queues, definitions, true);
    }
}
