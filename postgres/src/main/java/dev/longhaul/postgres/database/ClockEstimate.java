package dev.longhaul.postgres.database;

import dev.longhaul.postgres.job.Reads;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What the database's clock shows about now, without asking it; good enough to tell hours apart. */
public final class ClockEstimate {
    private final Reads reads;
    private volatile @Nullable Seen last;

    private record Seen(Instant clock, long nanos) {}

    public ClockEstimate(Reads reads) {
        this.reads = reads;
    }

    public void saw(Instant clock) {
        last = new Seen(clock, System.nanoTime());
    }

    public Instant estimate() {
        Seen seen = last;
        if (seen == null) {
            Instant now = reads.now();
            saw(now);
            return now;
        }
        return seen.clock().plusNanos(System.nanoTime() - seen.nanos());
    }
}
