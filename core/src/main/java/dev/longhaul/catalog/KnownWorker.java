package dev.longhaul.catalog;

import java.time.Instant;

/** A worker as the cluster knows it, by the store's clock. */
public record KnownWorker(WorkerReport report, Instant startedAt, Instant lastSeenAt, State state) {
    /** How it is doing. */
    public enum State {
        ACTIVE,
        DRAINING,
        /** It ended in an orderly way. */
        GONE,
        /** Nothing was heard of it for {@link Catalog#LOST_AFTER}. */
        LOST
    }
}
