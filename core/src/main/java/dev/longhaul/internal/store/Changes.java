package dev.longhaul.internal.store;

import dev.longhaul.job.JobId;
import dev.longhaul.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gathers the ids of jobs that a process has changed, for a store that announces them with {@link Signal.Kind#CHANGED}.
 * Memory is bounded: beyond a limit, further ids are not kept, and one signal stands for all jobs.
 */
public final class Changes {
    /** How long a store gathers further changes after the first one before it sends a notification. */
    public static final long GATHER_MILLIS = 100;
    /** The least time between two notifications. */
    public static final long INTERVAL_MILLIS = TimeUnit.SECONDS.toMillis(1);

    /** Keeps a notification below PostgreSQL's 8000 bytes. */
    private static final int IDS_IN_ONE = 150;

    private static final int MOST_SIGNALS = 3;
    private static final int MOST_IDS = MOST_SIGNALS * IDS_IN_ONE;
    private static final Signal TOO_MANY = new Signal(Signal.Kind.CHANGED, "*");

    private final Set<JobId> ids = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean announced = new AtomicBoolean();
    private volatile boolean full;

    /** Returns true for the first change since {@link #take}: the caller must then schedule a notification. */
    public boolean add(JobId id) {
        if (!full && ids.add(id) && count.incrementAndGet() > MOST_IDS) {
            full = true;
        }
        return !announced.get() && announced.compareAndSet(false, true);
    }

    /** Returns the signals to send now and clears the gathered changes. */
    public List<Signal> take() {
        // Cleared first, so that a change added concurrently and missed below schedules another notification.
        announced.set(false);
        boolean tooMany = full;
        var signals = new ArrayList<Signal>();
        var subject = new StringBuilder();
        int taken = 0;
        for (var iterator = ids.iterator(); iterator.hasNext(); ) {
            subject.append(subject.isEmpty() ? "" : ",").append(iterator.next());
            iterator.remove();
            count.decrementAndGet();
            if (++taken % IDS_IN_ONE == 0) {
                signals.add(new Signal(Signal.Kind.CHANGED, subject.toString()));
                subject.setLength(0);
            }
        }
        if (!subject.isEmpty()) {
            signals.add(new Signal(Signal.Kind.CHANGED, subject.toString()));
        }
        full = false;
        return tooMany || signals.size() > MOST_SIGNALS ? List.of(TOO_MANY) : signals;
    }
}
