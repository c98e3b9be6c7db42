package dev.longhaul.schedule;

import dev.longhaul.job.JobId;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * That a schedule fired. There is at most one of these for a schedule and fire time.
 *
 * @param fireAt the time that it was for
 * @param firedAt when it happened, which may be later
 * @param jobId the job it made; null if it made none
 */
public record Fire(
        String scheduleKey,
        Instant fireAt,
        Cause cause,
        Outcome outcome,
        Instant firedAt,
        @Nullable JobId jobId) {
    /** Why it happened. */
    public enum Cause {
        /** Its time had come. */
        SCHEDULED(0),
        /** Somebody wanted a job now. */
        TRIGGERED(1),
        /** Somebody wanted the jobs of a time that has passed. */
        BACKFILLED(2);

        private final short code;

        Cause(int code) {
            this.code = (short) code;
        }

        /** The number that stores keep; never changes once given. */
        public short code() {
            return code;
        }

        public static Cause ofCode(int code) {
            return values()[code];
        }

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What came of it. */
    public enum Outcome {
        /** A job. */
        CREATED(0),
        /** No job, because an earlier one had not ended ({@link Overlap}). */
        SKIPPED(1),
        /** No job, because the store would not have it: its queue was full, say. */
        REFUSED(2);

        private final short code;

        Outcome(int code) {
            this.code = (short) code;
        }

        /** The number that stores keep; never changes once given. */
        public short code() {
            return code;
        }

        public static Outcome ofCode(int code) {
            return values()[code];
        }

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
