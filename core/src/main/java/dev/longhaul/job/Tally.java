package dev.longhaul.job;

/**
 * Counters of a job: {@code run} numbers its leases and only rises; {@code attempts} is the number of attempts spent
 * (snooze and give-back return theirs); {@code crashes} counts runs whose process died.
 */
public record Tally(int run, int attempts, int crashes) {
    public static final Tally NONE = new Tally(0, 0, 0);
}
