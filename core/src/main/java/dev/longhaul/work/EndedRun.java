package dev.longhaul.work;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How a run ended and what became of its job, by the store's clock; complete for a listener that did not see the run start. */
public record EndedRun(
        String definitionKey, RunEnd end, @Nullable Instant startedAt, Instant endedAt) {}
