package dev.longhaul.catalog;

import java.time.Duration;
import java.time.Instant;

/** A worker as the cluster knows it, by the store's clock. */
public record KnownWorker(WorkerReport report, Instant startedAt, Instant lastSeenAt, State state) {
    /** A worker that was seen at these times, with its state at {@code now}. */
    public static KnownWorker of(
            WorkerReport report, Instant startedAt, Instant lastSeenAt, boolean gone, Instant now) {
        State state = State.of(report.draining(), gone, Duration.between(lastSeenAt, now));
        return new KnownWorker(report, startedAt, lastSeenAt, state);
    }

    /** The state of a worker. */
    public enum State {
        ACTIVE,
        DRAINING,
        /** It has shut down. */
        GONE,
        /** No heartbeat for {@link Catalog#LOST_AFTER}. */
        LOST;

        static State of(boolean draining, boolean gone, Duration silence) {
            if (gone) {
                return GONE;
            }
            if (silence.compareTo(Catalog.LOST_AFTER) >= 0) {
                return LOST;
            }
            return draining ? DRAINING : ACTIVE;
        }
    }
}
