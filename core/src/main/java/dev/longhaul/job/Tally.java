package dev.longhaul.job;

/**
 * What a job has been through: {@code run} numbers its leases and only rises; {@code attempts} is the budget spent (taken
 * back by snooze and give-back); {@code crashes} counts runs whose process died.
 */
public record Tally(int run, int attempts, int crashes) {
    public static final Tally NONE = new Tally(0, 0, 0);
}
