package dev.longhaul.engine;

import java.util.concurrent.TimeUnit;

/**
 * How many jobs to claim beyond the free slots. While jobs prove short, a claim of just a few costs more than they do; so the
 * worker claims ahead, but never more than about a tenth of a second of work, which it gives back when it does not come to it.
 */
final class RunAhead {
    private static final long WORK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MOST = 2000;
    private static final int ENOUGH = 8;

    private long endedBefore;
    private long nanosBefore;
    private double meanNanos = Double.MAX_VALUE;

    /** Learns from what has ended since the last call; both only rise. */
    void learn(long ended, long nanos) {
        long more = ended - endedBefore;
        if (more < ENOUGH) {
            return;
        }
        double mean = Math.max(1000.0, (double) (nanos - nanosBefore) / more);
        // Longer jobs count at once, shorter ones have to prove it.
        meanNanos = mean > meanNanos || meanNanos == Double.MAX_VALUE ? mean : meanNanos * 0.5 + mean * 0.5;
        endedBefore = ended;
        nanosBefore = nanos;
    }

    /** How many more than there are slots; {@code slots} are those not taken by a job that has run for long already. */
    int jobs(int slots) {
        return (int) Math.min(MOST, slots * (WORK / meanNanos));
    }

    /** How long a job may wait here before it is given back. */
    static long longestWait() {
        return 5 * WORK;
    }

    /** From when on a running job counts as long. */
    static long longRunning() {
        return WORK;
    }
}
