package dev.longhaul.job;

import dev.longhaul.error.Problems;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a job runs: now, at an instant, or after a delay. The store resolves it by its own clock, so that the delay is
 * right even if the caller's clock is wrong; a past time means now.
 */
public record RunAt(@Nullable Instant at, @Nullable Duration after) {
    private static final RunAt NOW = new RunAt(null, null);
    private static final String DELAYS = "0 to " + Limits.FARTHEST_RUN.toDays() + " days";
    private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

    public RunAt {
        var problems = new Problems();
        problems.require(at == null || after == null, "runAt", at, "either runAt or delay, not both");
        problems.require(
                at == null || (at.isAfter(Instant.EPOCH) && at.isBefore(LATEST)), "runAt", at, "between 1970 and 2200");
        problems.require(
                after == null || (!after.isNegative() && after.compareTo(Limits.FARTHEST_RUN) <= 0),
                "delay",
                after,
                DELAYS);
        problems.throwIfAny();
    }

    public static RunAt now() {
        return NOW;
    }

    public static RunAt at(Instant at) {
        return new RunAt(at, null);
    }

    public static RunAt after(Duration delay) {
        return new RunAt(null, delay);
    }

    /** The instant by a clock that shows {@code now}; never before {@code now}. */
    public Instant resolve(Instant now) {
        Instant asked = at != null ? at : after != null ? now.plus(after) : now;
        return asked.isBefore(now) ? now : asked;
    }
}
