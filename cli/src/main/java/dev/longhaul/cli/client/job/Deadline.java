package dev.longhaul.cli.client.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A deadline, counted from its creation. Without a limit it never passes. */
final class Deadline {
    private final long start = System.nanoTime();
    private final @Nullable Duration limit;

    Deadline(@Nullable Duration limit) {
        this.limit = limit;
    }

    boolean passed() {
        return limit != null && left(limit).isNegative();
    }

    /** Returns the span, limited to the remaining time. */
    Duration atMost(Duration span) {
        if (limit == null) {
            return span;
        }
        Duration left = left(limit);
        return left.isNegative() ? Duration.ZERO : left.compareTo(span) < 0 ? left : span;
    }

    private Duration left(Duration whole) {
        return whole.minusNanos(System.nanoTime() - start);
    }

    /**
     * The time window for retries while a server that was available before is unavailable, for example during a
     * restart.
     */
    static final class RetryWindow {
        private static final Duration LIMIT = Duration.ofSeconds(60);

        private Deadline deadline = new Deadline(LIMIT);

        /** Restarts the time window after a response. */
        void renew() {
            deadline = new Deadline(LIMIT);
        }

        boolean expired() {
            return deadline.passed();
        }
    }
}
