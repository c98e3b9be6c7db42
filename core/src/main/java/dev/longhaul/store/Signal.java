package dev.longhaul.store;

/**
 * A hint that something happened, possibly in another process; it may come late, twice or never, so whoever waits for one
 * also looks from time to time.
 *
 * @param subject the queue for {@link Kind#WORK}, the job id for {@link Kind#CANCEL}
 */
public record Signal(Kind kind, String subject) {
    /** What happened. */
    public enum Kind {
        /** A queue has jobs that are due. */
        WORK,
        /** A running job is wanted to end. */
        CANCEL
    }
}
