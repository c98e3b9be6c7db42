package dev.longhaul.engine.run;

import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Step;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a run has reported and the store does not have yet. Only the last progress counts; events keep their order; the code waits
 * for its steps to be stored.
 */
public final class Report {
    /** Text that one run may leave waiting; whoever writes more waits until it is stored. */
    private static final int MOST_WAITING = 1 << 20;

    private @Nullable Progress progress;
    private List<NewEvent> events = new ArrayList<>(0);
    /** By name: of two results of the same step, which only parallel code has, the last counts. */
    private Map<String, Step> steps = new LinkedHashMap<>(0);

    private List<CompletableFuture<Verdict>> waiters = new ArrayList<>(0);
    private int lastSequence;
    private long waiting;
    private boolean closed;

    /** A part of a run's report, to be stored, and the futures that wait for it. */
    public record Part(LiveRun run, RunUpdate update, List<CompletableFuture<Verdict>> waiters) {
        public void tell(Verdict verdict) {
            waiters.forEach(waiter -> waiter.complete(verdict));
        }
    }

    synchronized void progress(Progress now) {
        progress = now;
    }

    /** Adds an event; waits while too much is waiting already. False once the run has ended. */
    synchronized boolean event(EventType type, String payload) throws InterruptedException {
        while (waiting > MOST_WAITING && !closed) {
            wait();
        }
        if (closed) {
            return false;
        }
        events.add(new NewEvent(++lastSequence, type, Instant.now(), payload));
        waiting += payload.length();
        return true;
    }

    /** Adds an event without ever waiting. */
    synchronized void note(EventType type, String payload) {
        if (!closed) {
            events.add(new NewEvent(++lastSequence, type, Instant.now(), payload));
        }
    }

    public synchronized CompletableFuture<Verdict> step(Step step) {
        var stored = new CompletableFuture<Verdict>();
        if (closed) {
            stored.complete(Verdict.LOST);
        } else {
            steps.put(step.name(), step);
            waiters.add(stored);
        }
        return stored;
    }

    /** Takes what there is; null when there is nothing. If memory runs out meanwhile, everything stays as it was. */
    public synchronized @Nullable Part take(LiveRun run) {
        if (progress == null && events.isEmpty() && steps.isEmpty()) {
            return null;
        }
        var part = new Part(run, new RunUpdate(run.claim(), progress, List.copyOf(steps.values()), events), waiters);
        List<NewEvent> noEvents = events.isEmpty() ? events : new ArrayList<>();
        Map<String, Step> noSteps = steps.isEmpty() ? steps : new LinkedHashMap<>();
        List<CompletableFuture<Verdict>> noWaiters = steps.isEmpty() ? waiters : new ArrayList<>();
        progress = null;
        events = noEvents;
        steps = noSteps;
        waiters = noWaiters;
        waiting = 0;
        notifyAll();
        return part;
    }

    /** Nothing that is reported from now on will be stored. */
    public synchronized void close() {
        closed = true;
        waiters.forEach(waiter -> waiter.complete(Verdict.LOST));
        notifyAll();
    }

    /** The runs of a worker that have something to report. Reports are gathered for half a second; urgent ones are stored at once. */
    public static final class Pending {
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
}
