package dev.longhaul.job;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request to cancel a job: when, why, and the grace period.
 *
 * @param grace how long a running job may take before it is forced to end; null leaves that to its worker
 */
public record CancelRequest(
        Instant at, @Nullable String reason, @Nullable Duration grace) {
    /** The grace period of a cancel request that names none. */
    public static final Duration DEFAULT_GRACE = Duration.ofSeconds(30);

    public CancelRequest {
        new Problems()
                .require(grace == null || !grace.isNegative(), "grace", grace, ">= 0")
                .throwIfAny();
        reason = reason == null ? null : Text.storableOf(reason, Limits.NOTE);
    }
}
