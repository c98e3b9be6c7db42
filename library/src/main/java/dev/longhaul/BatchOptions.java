package dev.longhaul;

import dev.longhaul.error.Problems;

/**
 * Options of a batch.
 *
 * @param concurrency how many jobs of the batch run at the same time
 * @param stopsOnError whether a failed job prevents the start of jobs that have not begun
 * @param stored whether each job of the batch is stored
 */
public record BatchOptions(int concurrency, boolean stopsOnError, boolean stored) {
    public BatchOptions {
        new Problems()
                .require(concurrency >= 1 && concurrency <= 1000, "concurrency", concurrency, "1 to 1000")
                .throwIfAny();
    }

    /** Returns the default options: three jobs at a time, failures do not stop the batch, jobs are stored. */
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
