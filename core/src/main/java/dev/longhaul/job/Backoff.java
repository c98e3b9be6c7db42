package dev.longhaul.job;

import dev.longhaul.error.Problems;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** The wait before the next attempt: exponential with a cap and full jitter, so that retries spread out. */
public record Backoff(Duration initial, double factor, Duration cap) {
    public static final Backoff DEFAULT = new Backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(5));

    public Backoff {
        new Problems()
                .require(!initial.isNegative(), "initial", initial, ">= 0")
                .require(factor >= 1 && factor <= 100, "factor", factor, "1 to 100")
                .require(cap.compareTo(initial) >= 0, "cap", cap, ">= initial, " + initial)
                .throwIfAny();
    }

    /** The longest wait after that many attempts. */
    public Duration ceiling(int attempts) {
        double nanos = initial.toNanos() * Math.pow(factor, Math.max(0, attempts - 1));
        return nanos >= cap.toNanos() ? cap : Duration.ofNanos((long) nanos);
    }

    /** A wait drawn evenly from zero to the ceiling. */
    public Duration delay(int attempts, RandomGenerator random) {
        long ceiling = ceiling(attempts).toNanos();
        return ceiling == 0 ? Duration.ZERO : Duration.ofNanos(random.nextLong(ceiling + 1));
    }
}
