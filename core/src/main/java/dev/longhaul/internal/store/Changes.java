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
 * Gathers which jobs a process has changed, for a store that tells of them with {@link Signal.Kind#CHANGED}. Bounded: past that
 * many, adding costs one look at a flag.
 */
public final class Changes {
    /** Whoever has changed jobs waits this long for more of them before it tells. */
    public static final long GATHER_MILLIS = 100;
    /** And tells no more often than this. */
    public static final long INTERVAL_MILLIS = TimeUnit.SECONDS.toMillis(1);

    /** So that a notification stays below PostgreSQL's 8000 bytes. */
    private static final int IDS_IN_ONE = 150;

    private static final int MOST_SIGNALS = 3;
    private static final int MOST_IDS = MOST_SIGNALS * IDS_IN_ONE;
    private static final Signal TOO_MANY = new Signal(Signal.Kind.CHANGED, "*");

    private final Set<JobId> ids = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean announced = new AtomicBoolean();
    private volatile boolean full;

    /** Answers whether this is the first change since {@link #take}, and somebody is to see to it that it is told. */
    public boolean add(JobId id) {
        if (!full && ids.add(id) && count.incrementAndGet() > MOST_IDS) {
            full = true;
        }
        return !announced.get() && announced.compareAndSet(false, true);
    }

    /** What is to be told now. */
    public List<Signal> take() {
        // First of all: whoever adds from here on, and is missed below, announces it anew.
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
