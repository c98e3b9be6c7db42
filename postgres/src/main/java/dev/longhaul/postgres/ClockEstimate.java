package dev.longhaul.postgres;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What the database's clock shows about now, without asking it; good enough to tell hours apart. */
final class ClockEstimate {
    private final Reads reads;
    private volatile @Nullable Seen last;

    private record Seen(Instant clock, long nanos) {}

    ClockEstimate(Reads reads) {
        this.reads = reads;
    }

    void saw(Instant clock) {
        last = new Seen(clock, System.nanoTime());
    }

    Instant estimate() {
        Seen seen = last;
        if (seen == null) {
            Instant now = reads.now();
            saw(now);
            return now;
        }
        return seen.clock().plusNanos(System.nanoTime() - seen.nanos());
    }
}
