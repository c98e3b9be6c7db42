package dev.longhaul.job;

import dev.longhaul.error.Problems;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** That somebody wants a running job to end: when they said so, why, and how long it may take before it is forced. */
public record CancelRequest(
        Instant at, @Nullable String reason, @Nullable Duration grace) {
    public CancelRequest {
        new Problems()
                .require(grace == null || !grace.isNegative(), "grace", grace, ">= 0")
                .throwIfAny();
        reason = reason == null ? null : Text.storableOf(reason, Limits.NOTE);
    }
}
