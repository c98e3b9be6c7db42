package dev.longhaul.postgres.database;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Estimates the time of the database's clock without a query; precise enough for hours. */
public final class ClockEstimate {
    private final Database database;
    private volatile @Nullable Seen last;

    private record Seen(Instant clock, long nanos) {}

    public ClockEstimate(Database database) {
        this.database = database;
    }

    public void saw(Instant clock) {
        last = new Seen(clock, System.nanoTime());
    }

    public Instant estimate() {
        Seen seen = last;
        if (seen == null) {
            Instant now = database.now();
            saw(now);
            return now;
        }
        return seen.clock().plusNanos(System.nanoTime() - seen.nanos());
    }
}
