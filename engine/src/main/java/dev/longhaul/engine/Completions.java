package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.engine.run.Report;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.Failure;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the reports and the ends of runs, in batches, on one thread; reports are stored before the end. Writes stay in
 * memory ("in hand") until the store has accepted or rejected them: if the store is unavailable, or anything throws in
 * between, the next pass stores them again. Storing is idempotent.
 */
public final class Completions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Completions.class);
    private static final int LARGEST_BATCH = 1000;
    /** The most ends that may wait to be stored; a thread that adds another one waits. */
    private static final int MOST_WAITING = 4000;
    /**
     * After this many passes in a row that ended with an Error, a write that causes an Error even on its own counts as
     * rejected.
     */
    private static final int MOST_ERRORS = 10;

    /**
     * The first pause before a write for a locked job is retried. Each attempt may delay other writes until its lock
     * wait times out.
     */
    private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

    private final WorkSource source;
    private final LiveRuns live;
    private final Report.Pending reports;
    private final BiConsumer<LiveRun, Transition> whenStored;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final Deque<Ending> waiting = new ArrayDeque<>();
    /**
     * Ends, runs to collect reports from, and parts of reports that the thread has taken and the store has not decided.
     */
    private final List<Ending> inHand = new ArrayList<>();

    private final Set<LiveRun> reporting = new LinkedHashSet<>();
    private final ArrayList<Report.Part> parts = new ArrayList<>();
    /** Runs whose jobs another session has locked. Their writes stay in hand and are skipped until their retry time. */
    private final Map<LiveRun, Locked> locked = new HashMap<>();

    private int errors;
    private @Nullable Error lastError;
    private boolean closing;
    private boolean finished;
    private @Nullable BackgroundLoop loop;

    /** When to retry the writes of a locked job, and the pause before that. */
    private record Locked(long retryAt, long pause) {}

    /** A run and how it ends. */
    private static final class Ending {
        final LiveRun run;
        /** Null if the lease is lost: then there is nothing to store, only the thread has ended. */
        @Nullable
        Transition transition;

        Ending(LiveRun run, @Nullable Transition transition) {
            this.run = run;
            this.transition = transition;
        }
    }

    public Completions(
            WorkSource source, LiveRuns live, Report.Pending reports, BiConsumer<LiveRun, Transition> whenStored) {
        this.source = source;
        this.live = live;
        this.reports = reports;
        this.whenStored = whenStored;
        reports.onUrgent(this::wake);
    }

    public void start() {
        loop = BackgroundLoop.vital("completions", this::pass, this::finish);
    }

    /**
     * Queues the end of a run for storing; returns false if the run has an end already. Blocks while too many ends wait
     * to be stored.
     */
    public boolean add(LiveRun run, @Nullable Transition transition) {
        return add(run, transition, true);
    }

    /** Gives the run back. Never blocks: a worker that shuts down must not wait for an unavailable database. */
    void giveBack(LiveRun run) {
        add(run, Transition.giveBack(run.claim()), false);
    }

    /** Queues the end of a run whose code has not ended. Never blocks. */
    boolean endNow(LiveRun run, Transition transition) {
        return add(run, transition, false);
    }

    private boolean add(LiveRun run, @Nullable Transition transition, boolean waits) {
        if (!run.takeEnd()) {
            return false;
        }
        lock.lock();
        try {
            while (waits && waiting.size() >= MOST_WAITING && !finished) {
                room.awaitUninterruptibly();
            }
            if (finished) {
                settle(run, Verdict.LOST);
                return true;
            }
            waiting.add(new Ending(run, transition));
            run.endQueued();
            if (waiting.size() == 1) {
                work.signal();
            }
        } finally {
            lock.unlock();
        }
        return true;
    }

    private void wake() {
        lock.lock();
        try {
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stores the remaining writes and stops. After the given time it gives up, and the leases of the remaining runs
     * expire.
     */
    void close(long millis) {
        lock.lock();
        try {
            closing = true;
            work.signal();
        } finally {
            lock.unlock();
        }
        BackgroundLoop started = loop;
        if (started != null) {
            started.close(millis);
        }
    }

    @Override
    public void close() {
        close(TimeUnit.SECONDS.toMillis(5));
    }

    private boolean pass() throws InterruptedException {
        if (!take()) {
            return false;
        }
        storeReports();
        storeEnds();
        errors = 0;
        return true;
    }

    /** Settles the remaining runs as lost, so that no caller waits for them. */
    private void finish() {
        lock.lock();
        try {
            finished = true;
            waiting.addAll(inHand);
            if (!waiting.isEmpty() || !parts.isEmpty()) {
                LOG.warn(
                        "shutting down with {} unsaved ends and {} unsaved reports; their leases will expire",
                        waiting.size(),
                        parts.size());
            }
            parts.forEach(part -> part.complete(Verdict.LOST));
            waiting.forEach(ending -> {
                ending.run.report().close();
                settle(ending.run, Verdict.LOST);
            });
            waiting.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves waiting ends to {@code inHand}; if there are none, waits for ends or due reports. Returns false when
     * closing and nothing is left.
     */
    private boolean take() throws InterruptedException {
        lock.lock();
        try {
            while (waiting.isEmpty() && reporting.isEmpty() && nothingToWrite()) {
                long untilReports = Math.min(reports.untilDue(System.nanoTime()), untilUnlocked());
                if (untilReports <= 0) {
                    break;
                }
                if (closing) {
                    return false;
                }
                if (untilReports == Long.MAX_VALUE) {
                    work.await();
                } else if (work.awaitNanos(untilReports) <= 0) {
                    break;
                }
            }
            while (inHand.size() < LARGEST_BATCH && !waiting.isEmpty()) {
                inHand.add(waiting.element());
                waiting.remove();
            }
            room.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void storeReports() {
        long now = System.nanoTime();
        // Each run is added once: reports that its threads add in the meantime belong to this part or to the next.
        inHand.forEach(ending -> reporting.add(ending.run));
        if (reports.untilDue(now) <= 0) {
            reports.take(now, reporting);
        }
        collect();
        inHand.forEach(ending -> ending.run.report().close());
        List<Report.Part> ready =
                parts.stream().filter(part -> !isLocked(part.run())).toList();
        if (ready.isEmpty()) {
            return;
        }
        List<Optional<Verdict>> verdicts = storeAll(
                ready.stream().map(Report.Part::run).toList(),
                ready.stream().map(Report.Part::update).toList(),
                source::save);
        Set<Report.Part> decided = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < ready.size(); i++) {
            Report.Part part = ready.get(i);
            verdicts.get(i).ifPresent(verdict -> {
                part.complete(verdict);
                decided.add(part);
            });
        }
        parts.removeIf(decided::contains);
        throwLastError();
    }

    /** Whether all writes in hand belong to locked jobs. */
    private boolean nothingToWrite() {
        return inHand.stream().allMatch(ending -> isLocked(ending.run))
                && parts.stream().allMatch(part -> isLocked(part.run()));
    }

    /** Whether to skip writes for this run in this pass; never while closing, because there is no later pass. */
    private boolean isLocked(LiveRun run) {
        Locked until = locked.isEmpty() || closing ? null : locked.get(run);
        return until != null && until.retryAt() - System.nanoTime() > 0;
    }

    private long untilUnlocked() {
        long now = System.nanoTime();
        return locked.values().stream()
                .mapToLong(until -> Math.max(1, until.retryAt() - now))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Records a verdict; returns empty while the job is locked, so that the write stays in hand. */
    private Optional<Verdict> decided(LiveRun run, Verdict verdict) {
        if (verdict.kind() != Verdict.Kind.LOCKED) {
            locked.remove(run);
            return Optional.of(verdict);
        }
        Locked before = locked.get(run);
        long pause = before == null ? FIRST_PAUSE : Math.min(2 * before.pause(), LONGEST_PAUSE);
        locked.put(run, new Locked(System.nanoTime() + pause, pause));
        about(
                run,
                () -> LOG.warn(
                        "{}: another session has locked the job; retrying in {} s",
                        run,
                        TimeUnit.NANOSECONDS.toSeconds(pause)));
        return Optional.empty();
    }

    /** Collects the reports of the runs. If this method throws, no part that was taken is lost. */
    private void collect() {
        parts.ensureCapacity(parts.size() + reporting.size());
        for (var runs = reporting.iterator(); runs.hasNext(); runs.remove()) {
            LiveRun run = runs.next();
            Report.Part part = run.report().take(run);
            if (part != null && run.lost()) {
                part.complete(Verdict.LOST);
            } else if (part != null) {
                parts.add(part);
            }
        }
    }

    private void storeEnds() {
        var endings = new ArrayList<Ending>(inHand.size());
        var transitions = new ArrayList<Transition>(inHand.size());
        for (Ending ending : inHand) {
            Transition transition = ending.transition;
            if (ending.run.settled().isDone() || isLocked(ending.run)) {
                continue;
            }
            if (transition == null || ending.run.lost()) {
                settle(ending.run, Verdict.LOST);
            } else {
                endings.add(ending);
                transitions.add(transition);
            }
        }
        if (!transitions.isEmpty()) {
            List<LiveRun> runs = endings.stream().map(ending -> ending.run).toList();
            List<Optional<Verdict>> verdicts = storeAll(runs, transitions, source::apply);
            for (int i = 0; i < transitions.size(); i++) {
                Ending ending = endings.get(i);
                Transition transition = transitions.get(i);
                verdicts.get(i).ifPresent(verdict -> decided(ending, transition, verdict));
            }
        }
        inHand.removeIf(ending -> ending.run.settled().isDone());
        throwLastError();
    }

    /**
     * Stores all writes in one batch; if that fails for a reason other than an outage, one by one, so that only the
     * faulty one fails.
     */
    private <T> List<Optional<Verdict>> storeAll(
            List<LiveRun> runs, List<T> writes, Function<List<T>, List<Verdict>> write) {
        try {
            List<Verdict> written = write.apply(writes);
            var verdicts = new ArrayList<Optional<Verdict>>(written.size());
            for (int i = 0; i < written.size(); i++) {
                verdicts.add(decided(runs.get(i), written.get(i)));
            }
            return verdicts;
        } catch (RuntimeException | Error e) {
            if (e instanceof LonghaulException known && known.code() == ErrorCode.UNAVAILABLE) {
                throw e;
            }
            if (writes.size() == 1) {
                return List.of(notStored(runs.get(0), writes.get(0), e));
            }
            LOG.warn("storing {} writes in one batch failed; retrying them one by one", writes.size(), e);
            var verdicts = new ArrayList<Optional<Verdict>>();
            for (int i = 0; i < writes.size(); i++) {
                verdicts.addAll(storeAll(List.of(runs.get(i)), List.of(writes.get(i)), write));
            }
            return verdicts;
        }
    }

    /** An exception rejects the write. An Error leaves it undecided: the write stays in hand. */
    private Optional<Verdict> notStored(LiveRun run, Object write, Throwable failure) {
        if (failure instanceof Error error && errors < MOST_ERRORS) {
            lastError = error;
            return Optional.empty();
        }
        about(run, () -> LOG.error("the store rejected a write; dropping it: {}", write, failure));
        return Optional.of(Verdict.refused(String.valueOf(failure.getMessage())));
    }

    /** Ends the pass if an Error has left writes undecided. */
    private void throwLastError() {
        Error error = lastError;
        if (error != null) {
            lastError = null;
            errors++;
            throw error;
        }
    }

    /** Logs with the context fields (MDC) of the run. */
    private static void about(LiveRun run, Runnable logging) {
        LogContext.around(run.context(), logging);
    }

    private void decided(Ending ending, Transition transition, Verdict verdict) {
        LiveRun run = ending.run;
        if (verdict.kind() == Verdict.Kind.REFUSED) {
            refused(ending, transition, verdict);
            return;
        }
        settle(run, verdict);
        if (verdict.lost()) {
            about(run, () -> LOG.warn("{}: its lease was lost; its outcome is not stored, it runs elsewhere", run));
        }
        if (verdict.won()) {
            notifyListeners(run, transition);
        }
    }

    private void notifyListeners(LiveRun run, Transition transition) {
        try {
            whenStored.accept(run, transition);
        } catch (RuntimeException | Error e) {
            about(run, () -> LOG.warn("{}: result saved, but a listener or hook failed", run, e));
        }
    }

    /**
     * Fails the job when the store rejects its transition, so that the reason is visible; the failure stays in hand for
     * the next pass. If the store rejects that as well, the lease expires.
     */
    private void refused(Ending ending, Transition transition, Verdict verdict) {
        LiveRun run = ending.run;
        String reason = String.valueOf(verdict.reason());
        if (transition instanceof Transition.Succeed) {
            ending.transition = Transition.fail(run.claim(), Failure.of(Failure.UNSTORABLE_RESULT, reason));
        } else if (transition instanceof Transition.Cancelled) {
            // The cancel request was withdrawn, so the job must run again.
            ending.transition = Transition.giveBack(run.claim());
        } else {
            settle(run, verdict);
            about(run, () -> LOG.error("{}: the store rejected its end ({}); its lease will expire", run, reason));
        }
    }

    private void settle(LiveRun run, Verdict verdict) {
        locked.remove(run);
        live.remove(run);
        run.settle(verdict);
    }
}
