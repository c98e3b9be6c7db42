package dev.longhaul.cli;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition set by another thread or process, with a timeout that only a broken test reaches. */
final class Waits {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Waits() {}

    static void until(BooleanSupplier condition, Supplier<String> state) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("still not after " + LIMIT + ": " + state.get());
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }
}
