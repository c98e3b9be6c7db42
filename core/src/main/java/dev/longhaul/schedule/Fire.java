package dev.longhaul.schedule;

import dev.longhaul.job.JobId;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A fire of a schedule. There is at most one per schedule and fire time.
 *
 * @param fireAt the fire time
 * @param firedAt when the schedule fired, which may be later
 * @param jobId the created job; null if none was created
 */
public record Fire(
        String scheduleKey,
        Instant fireAt,
        Cause cause,
        Outcome outcome,
        Instant firedAt,
        @Nullable JobId jobId) {
    /** Why the schedule fired. */
    public enum Cause {
        /** The fire time was due. */
        SCHEDULED(0),
        /** A caller requested a job now. */
        TRIGGERED(1),
        /** A caller requested the jobs of past fire times. */
        BACKFILLED(2);

        private final short code;

        Cause(int code) {
            this.code = (short) code;
        }

        /** The number by which stores keep this cause. It must never change. */
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

    /** The outcome of the fire. */
    public enum Outcome {
        /** A job was created. */
        CREATED(0),
        /** No job, because an earlier one had not ended ({@link Overlap}). */
        SKIPPED(1),
        /** No job, because the store rejected it: its queue was full, for example. */
        REFUSED(2);

        private final short code;

        Outcome(int code) {
            this.code = (short) code;
        }

        /** The number by which stores keep this outcome. It must never change. */
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
