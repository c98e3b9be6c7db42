package dev.longhaul.spi;

/**
 * A notification of a change, possibly from another process. It may arrive late, twice or never, so receivers also
 * poll.
 *
 * @param subject the queue for {@link Kind#WORK}, the job id for {@link Kind#CANCEL}, comma-separated job ids for
 * {@link Kind#CHANGED}, or {@code *} if too many jobs changed to list them; the key of the schedule for {@link
 * Kind#SCHEDULE}
 */
public record Signal(Kind kind, String subject) {
    /** The kinds of changes. */
    public enum Kind {
        /** A queue has jobs that are due. */
        WORK,
        /** A cancel of a running job was requested. */
        CANCEL,
        /** Jobs have changed; one signal for many jobs, sent within a second. */
        CHANGED,
        /** A schedule has changed, and may fire earlier than before. */
        SCHEDULE
    }
}
