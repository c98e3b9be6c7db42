package dev.longhaul.cli.client.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long something may take from now on; without a limit it never passes. */
final class Deadline {
    private final long start = System.nanoTime();
    private final @Nullable Duration limit;

    Deadline(@Nullable Duration limit) {
        this.limit = limit;
    }

    boolean passed() {
        return limit != null && left(limit).isNegative();
    }

    /** The span, or what is left if that is less. */
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

    /** How long a server that was there may be away, a restart for example, before it is given up. */
    static final class Patience {
        private static final Duration LIMIT = Duration.ofSeconds(60);

        private Deadline deadline = new Deadline(LIMIT);

        /** It is there. */
        void renew() {
            deadline = new Deadline(LIMIT);
        }

        boolean spent() {
            return deadline.passed();
        }
    }
}
