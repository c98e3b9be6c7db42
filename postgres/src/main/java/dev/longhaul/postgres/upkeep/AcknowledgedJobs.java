package dev.longhaul.postgres.upkeep;

import dev.longhaul.job.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The ids of the last jobs that this process has acknowledged, which a failover may have lost. */
final class AcknowledgedJobs {
    static final int MOST = 10_000;
    /** Older jobs were replicated long ago, or retention may have removed them. */
    static final Duration RECENT = Duration.ofMinutes(10);

    private final AtomicReferenceArray<Acknowledged> ring = new AtomicReferenceArray<>(MOST);
    private final AtomicLong next = new AtomicLong();
    private volatile long checkedUpTo;

    private record Acknowledged(JobId id, long number, long at) {}

    void add(JobId id) {
        long number = next.getAndIncrement();
        ring.set((int) (number % MOST), new Acknowledged(id, number, System.nanoTime()));
    }

    /** Returns the acknowledged jobs that were not checked after an earlier failover. */
    List<JobId> recent() {
        var ids = new ArrayList<JobId>();
        long now = System.nanoTime();
        for (int i = 0; i < MOST; i++) {
            Acknowledged one = ring.get(i);
            if (one != null && one.number() >= checkedUpTo && now - one.at() < RECENT.toNanos()) {
                ids.add(one.id());
            }
        }
        return ids;
    }

    /** @param end the number of acknowledged jobs when {@link #recent} was called */
    void checked(long end) {
        checkedUpTo = end;
    }

    long count() {
        return next.get();
    }
}
