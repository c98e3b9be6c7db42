package dev.longhaul.work;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended and the state of its job after it, by the store's clock. Contains everything that a listener needs,
 * even if it did not see the run start.
 */
public record EndedRun(
        String definitionKey, RunEnd end, @Nullable Instant startedAt, Instant endedAt) {}
