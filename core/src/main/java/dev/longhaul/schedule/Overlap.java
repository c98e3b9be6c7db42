package dev.longhaul.schedule;

import java.util.Locale;

/** What a fire does while the job of an earlier fire has not ended. A job that waits for its retry has not ended either. */
public enum Overlap {
    /** Makes its job all the same. */
    ALLOW,
    /** Makes no job. */
    SKIP,
    /** Makes its job, which is held until the earlier one has ended; makes none while one is held already. */
    QUEUE_ONE,
    /** Cancels the earlier jobs; its own is held until they have ended. */
    CANCEL_PREVIOUS;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
