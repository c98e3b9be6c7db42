package dev.longhaul.spi;

/**
 * A hint that something happened, possibly in another process; it may come late, twice or never, so whoever waits for one
 * also looks from time to time.
 *
 * @param subject the queue for {@link Kind#WORK}, the job id for {@link Kind#CANCEL}, job ids with commas between them for
 *     {@link Kind#CHANGED}, or {@code *} for more than were counted; the key of the schedule for {@link Kind#SCHEDULE}
 */
public record Signal(Kind kind, String subject) {
    /** What happened. */
    public enum Kind {
        /** A queue has jobs that are due. */
        WORK,
        /** A running job is wanted to end. */
        CANCEL,
        /** Jobs are not as they were; sent for many together, within a second. */
        CHANGED,
        /** A schedule is not as it was, and may fire earlier than before. */
        SCHEDULE
    }
}
