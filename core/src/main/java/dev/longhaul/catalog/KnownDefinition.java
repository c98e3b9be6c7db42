package dev.longhaul.catalog;

import dev.longhaul.job.DefinitionRef;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A definition without its code.
 *
 * @param paramsSchema JSON Schema of its params
 * @param declaredBy the operator who declared it; null when a worker registered it
 * @param updatedAt when it was stored; what a caller gives here does not count
 */
public record KnownDefinition(
        DefinitionRef ref,
        String paramsSchema,
        String resultSchema,
        Defaults defaults,
        @Nullable String declaredBy,
        Instant updatedAt) {

    /** What a job of it gets where its call says nothing. */
    public record Defaults(String queue, int maxAttempts, Duration timeout, int concurrencyLimit) {}

    public boolean declared() {
        return declaredBy != null;
    }
}
