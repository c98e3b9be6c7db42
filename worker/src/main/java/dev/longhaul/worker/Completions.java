package dev.longhaul.worker;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Transition;
import dev.longhaul.store.JobStore;
import dev.longhaul.store.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores what runs report and how they ended, in batches, by one thread: what was reported is stored before the end. A batch
 * that cannot be stored because the database is away is tried again until it can, or until the claim is lost.
 */
final class Completions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Completions.class);
    private static final int LARGEST_BATCH = 1000;
    /** Ends that may wait to be stored; whoever brings more waits. */
    private static final int MOST_WAITING = 4000;

    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1000;

    private final JobStore store;
    private final LiveRuns live;
    private final Reports reports;
    private final BiConsumer<LiveRun, Transition> whenStored;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final Deque<Ending> waiting = new ArrayDeque<>();
    private boolean closing;
    private boolean finished;
    private volatile boolean abandoned;
    private @Nullable Thread thread;

    /** A run and how it ends; null when only its thread has ended, its lease being lost. */
    private record Ending(LiveRun run, @Nullable Transition transition) {}

    Completions(JobStore store, LiveRuns live, Reports reports, BiConsumer<LiveRun, Transition> whenStored) {
        this.store = store;
        this.live = live;
        this.reports = reports;
        this.whenStored = whenStored;
        reports.onUrgent(this::wake);
    }

    void start() {
        thread = Threads.start("longhaul-completions", this::loop);
    }

    /** Takes the end of a run, its first one only; waits while too many are waiting to be stored. */
    void add(LiveRun run, @Nullable Transition transition) {
        if (!run.takeEnd()) {
            return;
        }
        lock.lock();
        try {
            while (waiting.size() >= MOST_WAITING && !finished) {
                room.awaitUninterruptibly();
            }
            if (finished) {
                settle(run, Verdict.LOST);
                return;
            }
            waiting.add(new Ending(run, transition));
            if (waiting.size() == 1) {
                work.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private void wake() {
        lock.lock();
        try {
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Stores what is left and stops; gives up after that time, and then what is left is found by the lease reaper. */
    void close(long millis) {
        lock.lock();
        try {
            closing = true;
            work.signal();
        } finally {
            lock.unlock();
        }
        Thread started = thread;
        if (started == null) {
            return;
        }
        try {
            started.join(Math.max(1, millis));
            if (started.isAlive()) {
                abandoned = true;
                started.interrupt();
            }
        } catch (InterruptedException e) {
            abandoned = true;
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        close(TimeUnit.SECONDS.toMillis(5));
    }

    private void loop() {
        try {
            while (!abandoned) {
                List<Ending> batch = next();
                if (batch == null) {
                    return;
                }
                store(batch);
            }
        } catch (InterruptedException e) {
            LOG.debug("stopped before everything was stored", e);
        } finally {
            finish();
        }
    }

    /** Nothing is stored any more; whoever waits for it is told. */
    private void finish() {
        lock.lock();
        try {
            finished = true;
            waiting.forEach(ending -> {
                ending.run().report().close();
                settle(ending.run(), Verdict.LOST);
            });
            waiting.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for ends or for reports that are due; null when closing and nothing is left. */
    private @Nullable List<Ending> next() throws InterruptedException {
        lock.lock();
        try {
            while (waiting.isEmpty()) {
                long untilReports = reports.untilDue(System.nanoTime());
                if (untilReports <= 0) {
                    break;
                }
                if (closing) {
                    return null;
                }
                if (untilReports == Long.MAX_VALUE) {
                    work.await();
                } else if (work.awaitNanos(untilReports) <= 0) {
                    break;
                }
            }
            var batch = new ArrayList<Ending>(Math.min(waiting.size(), LARGEST_BATCH));
            while (batch.size() < LARGEST_BATCH && !waiting.isEmpty()) {
                batch.add(waiting.poll());
            }
            room.signalAll();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void store(List<Ending> batch) {
        storeReports(batch);
        var endings = new ArrayList<Ending>(batch.size());
        var transitions = new ArrayList<Transition>(batch.size());
        for (Ending ending : batch) {
            Transition transition = ending.transition();
            if (transition == null || ending.run().lost()) {
                settle(ending.run(), Verdict.LOST);
            } else {
                endings.add(ending);
                transitions.add(transition);
            }
        }
        if (transitions.isEmpty()) {
            return;
        }
        List<LiveRun> runs = endings.stream().map(Ending::run).toList();
        List<Verdict> verdicts = storeAll(runs, transitions, store::apply);
        for (int i = 0; i < transitions.size(); i++) {
            stored(endings.get(i).run(), transitions.get(i), verdicts.get(i));
        }
    }

    /** Stores all; if that fails for a reason other than an outage, each on its own, so that only the culprit suffers. */
    private <T> List<Verdict> storeAll(List<LiveRun> runs, List<T> writes, Function<List<T>, List<Verdict>> write) {
        try {
            return untilStored(() -> write.apply(writes));
        } catch (RuntimeException | Error e) {
            if (abandoned) {
                LOG.warn(
                        "stopped before {} writes were stored; their leases will tell: {}",
                        writes.size(),
                        e.getMessage());
                return Collections.nCopies(writes.size(), Verdict.LOST);
            }
            if (writes.size() == 1) {
                about(runs.get(0), () -> LOG.error("could not be stored: {}", writes.get(0), e));
                return List.of(Verdict.refused(String.valueOf(e.getMessage())));
            }
            LOG.warn("{} writes could not be stored together; trying each on its own", writes.size(), e);
            var verdicts = new ArrayList<Verdict>();
            for (int i = 0; i < writes.size(); i++) {
                verdicts.addAll(storeAll(List.of(runs.get(i)), List.of(writes.get(i)), write));
            }
            return verdicts;
        }
    }

    private void storeReports(List<Ending> batch) {
        long now = System.nanoTime();
        // Each once: what a run's own threads add meanwhile belongs to the same part or to the next.
        var reporting = new LinkedHashSet<LiveRun>();
        batch.forEach(ending -> reporting.add(ending.run()));
        if (reports.untilDue(now) <= 0) {
            reporting.addAll(reports.take(now));
        }
        var parts = new ArrayList<Report.Part>();
        var runs = new ArrayList<LiveRun>();
        for (LiveRun run : reporting) {
            if (collect(run, parts)) {
                runs.add(run);
            }
        }
        batch.forEach(ending -> ending.run().report().close());
        if (parts.isEmpty()) {
            return;
        }
        List<Verdict> verdicts =
                storeAll(runs, parts.stream().map(Report.Part::update).toList(), store::save);
        for (int i = 0; i < parts.size(); i++) {
            parts.get(i).tell(verdicts.get(i));
        }
    }

    private static boolean collect(LiveRun run, List<Report.Part> parts) {
        Report.Part part = run.report().take(run.claim());
        if (part == null) {
            return false;
        }
        if (run.lost()) {
            part.tell(Verdict.LOST);
            return false;
        }
        return parts.add(part);
    }

    /** Logs with the marks of the run, as its own code does. */
    private static void about(LiveRun run, Runnable logging) {
        LogMarks.around(run.context(), logging);
    }

    private void stored(LiveRun run, Transition transition, Verdict verdict) {
        if (verdict.kind() == Verdict.Kind.REFUSED) {
            refused(run, transition, verdict);
            return;
        }
        if (verdict.lost()) {
            about(run, () -> LOG.warn("{}: its lease was lost; its outcome is not stored, it runs elsewhere", run));
        }
        settle(run, verdict);
        if (verdict.won()) {
            tell(run, transition);
        }
    }

    private void tell(LiveRun run, Transition transition) {
        try {
            whenStored.accept(run, transition);
        } catch (RuntimeException | Error e) {
            about(run, () -> LOG.warn("{}: its end is stored, but not everybody could be told", run, e));
        }
    }

    /** What the store does not take fails the job, so that a person sees why; if even that is refused, the lease lapses. */
    private void refused(LiveRun run, Transition transition, Verdict verdict) {
        String reason = String.valueOf(verdict.reason());
        if (transition instanceof Transition.Succeed) {
            Failure failure = Failure.of(Failure.UNSTORABLE_RESULT, reason);
            again(run, Transition.fail(run.claim(), failure));
        } else if (transition instanceof Transition.Cancelled) {
            // Nobody asks for it any more.
            again(run, Transition.giveBack(run.claim()));
        } else {
            about(run, () -> LOG.error("{}: its end is refused: {}", run, reason));
            settle(run, verdict);
        }
    }

    /** Takes another end for the same run, however many are waiting: this thread must not wait for itself. */
    private void again(LiveRun run, Transition transition) {
        lock.lock();
        try {
            waiting.addFirst(new Ending(run, transition));
        } finally {
            lock.unlock();
        }
    }

    private void settle(LiveRun run, Verdict verdict) {
        live.remove(run);
        run.settle(verdict);
    }

    /** Tries until the database is there. */
    private <T> T untilStored(Supplier<T> write) {
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            try {
                return write.get();
            } catch (LonghaulException e) {
                if (e.code() != ErrorCode.UNAVAILABLE || abandoned) {
                    throw e;
                }
                LOG.debug("the database is away; outcomes wait", e);
            }
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                throw new LonghaulException(ErrorCode.UNAVAILABLE, "stopped while the database was away", e);
            }
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        }
    }
}
