package dev.longhaul;

import dev.longhaul.error.Problems;

/**
 * How a batch is run.
 *
 * @param concurrency how many of its jobs run at once
 * @param stopsOnError whether a failure prevents jobs that have not begun from starting
 * @param stored whether each becomes a stored job
 */
public record BatchOptions(int concurrency, boolean stopsOnError, boolean stored) {
    public BatchOptions {
        new Problems()
                .require(concurrency >= 1 && concurrency <= 1000, "concurrency", concurrency, "1 to 1000")
                .throwIfAny();
    }

    /** Three jobs at once, continuing after failures, stored. */
    public static BatchOptions defaults() {
        return new BatchOptions(3, false, true);
    }

    public static BatchOptions concurrency(int concurrency) {
        return new BatchOptions(concurrency, false, true);
    }

    public BatchOptions stopOnError() {
        return new BatchOptions(concurrency, true, stored);
    }

    public BatchOptions unstored() {
        return new BatchOptions(concurrency, stopsOnError, false);
    }
}
