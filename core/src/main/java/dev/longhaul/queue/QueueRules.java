package dev.longhaul.queue;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import org.jspecify.annotations.Nullable;

/** Argument checks for queue settings, the same in every store. */
public final class QueueRules {
    private QueueRules() {}

    public static void require(String queue, @Nullable Integer maxDepth) {
        new Problems()
                .require(Names.valid(queue), "queue", queue, Names.RULE)
                .require(maxDepth == null || maxDepth >= 0, "maxDepth", maxDepth, ">= 0")
                .throwIfAny();
    }
}
