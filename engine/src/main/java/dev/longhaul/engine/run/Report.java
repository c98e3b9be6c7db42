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
 * The reports of a run that are not stored yet. Only the last progress is kept; events keep their order; code waits
 * until its steps are stored.
 */
public final class Report {
    /** The most characters of text that may wait to be stored per run; code that writes more waits. */
    private static final int MOST_WAITING = 1 << 20;

    /** Size of the range of event numbers that each worker has for a run. */
    private static final int NUMBERS = 10_000_000;

    private static final int MOST_TAKEOVERS = 199;

    /**
     * Used in place of the number of takeovers by a process that executes a run for its workers, to get a separate
     * range of event numbers.
     */
    public static final int EXECUTES_FOR_WORKERS = MOST_TAKEOVERS + 1;

    /** The event number after which a worker continues once such a process has reported events. */
    private static final int AFTER_EXECUTION = 2_140_000_000;

    private @Nullable Progress progress;
    private List<NewEvent> events = new ArrayList<>(0);
    /** Steps by name. If parallel code produces two results for one step, the last one is kept. */
    private Map<String, Step> steps = new LinkedHashMap<>(0);

    private List<CompletableFuture<Verdict>> waiters = new ArrayList<>(0);
    private int lastSequence;
    private long waiting;
    private boolean closed;

    Report() {
        this(0);
    }

    /**
     * Creates the report of a run that was taken over this many times. The store ignores event numbers up to the last
     * one stored. This process does not know that number, so each worker has its own range of numbers.
     */
    Report(int takeovers) {
        lastSequence = Math.min(takeovers, EXECUTES_FOR_WORKERS) * NUMBERS;
    }

    /** Numbers later events above those of a process that has executed the run for this worker. */
    synchronized void continueEvents() {
        lastSequence = Math.max(lastSequence, AFTER_EXECUTION);
    }

    /** A part of a run's report to be stored, and the futures that wait for it. */
    public record Part(LiveRun run, RunUpdate update, List<CompletableFuture<Verdict>> waiters) {
        public void complete(Verdict verdict) {
            waiters.forEach(waiter -> waiter.complete(verdict));
        }
    }

    synchronized void progress(Progress now) {
        progress = now;
    }

    /** Adds an event; waits while too much text is waiting already. Returns false once the run has ended. */
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

    /** Adds an event without waiting. */
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

    /** Completed when everything reported so far is stored, or can no longer be stored. */
    synchronized CompletableFuture<Verdict> stored() {
        var stored = new CompletableFuture<Verdict>();
        if (closed) {
            stored.complete(Verdict.LOST);
        } else {
            waiters.add(stored);
        }
        return stored;
    }

    /** Takes the waiting reports; null when there are none. On an OutOfMemoryError nothing is taken. */
    public synchronized @Nullable Part take(LiveRun run) {
        // A part without reports is stored after the parts that were taken before, for those who wait for them.
        if (progress == null && events.isEmpty() && steps.isEmpty() && waiters.isEmpty()) {
            return null;
        }
        // Not the empty list itself: callers that wait for a later part would be added to it and get this verdict.
        List<CompletableFuture<Verdict>> waitingForPart = waiters.isEmpty() ? List.of() : waiters;
        var part = new Part(
                run, new RunUpdate(run.claim(), progress, List.copyOf(steps.values()), events), waitingForPart);
        List<NewEvent> noEvents = events.isEmpty() ? events : new ArrayList<>();
        Map<String, Step> noSteps = steps.isEmpty() ? steps : new LinkedHashMap<>();
        List<CompletableFuture<Verdict>> noWaiters = waiters.isEmpty() ? waiters : new ArrayList<>();
        progress = null;
        events = noEvents;
        steps = noSteps;
        waiters = noWaiters;
        waiting = 0;
        notifyAll();
        return part;
    }

    /** Discards all later reports. */
    public synchronized void close() {
        closed = true;
        waiters.forEach(waiter -> waiter.complete(Verdict.LOST));
        notifyAll();
    }

    /**
     * The runs of a worker that have reports. Reports are gathered for half a second; urgent ones are stored
     * immediately.
     */
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
            // Checks before adding, because most calls find the run already added and add would allocate an entry each
            // time.
            if (!changed.contains(run) && changed.add(run)) {
                wake.run();
            }
        }

        public void now(LiveRun run) {
            changed.add(run);
            urgent = true;
            wake.run();
        }

        /** Time until reports have to be stored; Long.MAX_VALUE while there are none. */
        public long untilDue(long nanos) {
            return urgent ? 0 : changed.isEmpty() ? Long.MAX_VALUE : Math.max(0, lastTaken + GATHER - nanos);
        }

        /** Moves the runs that have reports into {@code taken}; if this throws, every run is in one of the two. */
        public void take(long nanos, Collection<LiveRun> taken) {
            lastTaken = nanos;
            urgent = false;
            taken.addAll(changed);
            changed.removeIf(taken::contains);
        }
    }
}
