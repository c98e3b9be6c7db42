package dev.longhaul.engine;

import java.util.concurrent.TimeUnit;

/**
 * Computes how many jobs to claim beyond the free slots. For short jobs, a claim of a few costs more than running them.
 * The worker therefore claims ahead, up to about 100 ms of work, and gives back jobs that it cannot start soon.
 */
final class RunAhead {
    private static final long WORK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MOST = 2000;
    private static final int ENOUGH = 8;

    private long endedBefore;
    private long nanosBefore;
    private double meanNanos = Double.MAX_VALUE;

    /** Updates the mean duration from the runs that ended since the last call; both arguments are running totals. */
    void learn(long ended, long nanos) {
        long more = ended - endedBefore;
        if (more < ENOUGH) {
            return;
        }
        double mean = Math.max(1000.0, (double) (nanos - nanosBefore) / more);
        // A longer mean applies immediately, a shorter one gradually.
        meanNanos = mean > meanNanos || meanNanos == Double.MAX_VALUE ? mean : meanNanos * 0.5 + mean * 0.5;
        endedBefore = ended;
        nanosBefore = nanos;
    }

    /**
     * Returns how many jobs to claim beyond the free slots; {@code slots} excludes slots occupied by long-running jobs.
     */
    int jobs(int slots) {
        return (int) Math.min(MOST, slots * (WORK / meanNanos));
    }

    /** How long a claimed job may wait for a slot before it is given back. */
    static long longestWait() {
        return 5 * WORK;
    }

    /** The run time from which a running job counts as long. */
    static long longRunning() {
        return WORK;
    }
}
