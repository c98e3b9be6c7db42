package dev.longhaul.postgres.database;

import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** What the database's clock shows about now, without asking it; good enough to tell hours apart. */
public final class ClockEstimate {
    private final InstantSource clock;
    private volatile @Nullable Seen last;

    private record Seen(Instant clock, long nanos) {}

    public ClockEstimate(InstantSource clock) {
        this.clock = clock;
    }

    public void saw(Instant clock) {
        last = new Seen(clock, System.nanoTime());
    }

    public Instant estimate() {
        Seen seen = last;
        if (seen == null) {
            Instant now = clock.instant();
            saw(now);
            return now;
        }
        return seen.clock().plusNanos(System.nanoTime() - seen.nanos());
    }
}
