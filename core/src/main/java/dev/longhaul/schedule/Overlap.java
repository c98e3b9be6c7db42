package dev.longhaul.schedule;

import java.util.Locale;

/**
 * What a fire does while the job of an earlier fire has not ended. A job that waits for its retry has not ended
 * either.
 */
public enum Overlap {
    /** Creates its job anyway. */
    ALLOW,
    /** Creates no job. */
    SKIP,
    /** Creates its job, held until the earlier one has ended; creates none while another job is held. */
    QUEUE_ONE,
    /** Cancels the earlier jobs; its own is held until they have ended. */
    CANCEL_PREVIOUS;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
