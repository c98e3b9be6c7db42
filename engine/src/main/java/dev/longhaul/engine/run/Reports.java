package dev.longhaul.engine.run;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The runs that have something to report. Reports are gathered for half a second; what somebody waits for goes at once. */
public final class Reports {
    public static final long GATHER = TimeUnit.MILLISECONDS.toNanos(500);

    private final Set<LiveRun> changed = ConcurrentHashMap.newKeySet();
    private volatile boolean urgent;
    private volatile long lastTaken = System.nanoTime() - GATHER;
    private volatile Runnable wake = () -> {};

    public void onUrgent(Runnable action) {
        wake = action;
    }

    void soon(LiveRun run) {
        // Most calls find the run here already: a million calls cost a million look-ups, not a million entries.
        if (!changed.contains(run) && changed.add(run)) {
            wake.run();
        }
    }

    public void now(LiveRun run) {
        changed.add(run);
        urgent = true;
        wake.run();
    }

    /** How long until reports are to be stored; Long.MAX_VALUE while there are none. */
    public long untilDue(long nanos) {
        return urgent ? 0 : changed.isEmpty() ? Long.MAX_VALUE : Math.max(0, lastTaken + GATHER - nanos);
    }

    /** Moves the runs that have something to report into {@code taken}; whatever throws meanwhile, each is in one of the two. */
    public void take(long nanos, Collection<LiveRun> taken) {
        lastTaken = nanos;
        urgent = false;
        taken.addAll(changed);
        changed.removeIf(taken::contains);
    }
}
