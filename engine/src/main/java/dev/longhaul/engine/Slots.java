package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.engine.run.Threads;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs on a limited number of threads. Further runs wait here for a short time (see {@link RunAhead}); a thread
 * that has ended one run takes the next without a hand-over.
 */
final class Slots implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Slots.class);

    private final Consumer<LiveRun> runner;
    private final Consumer<LiveRun> refuse;
    private final Runnable whenFree;
    private final Free free;
    private final Queue<LiveRun> ahead = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger threads = new AtomicInteger();
    private final LongAdder ended = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final ExecutorService pool;

    /** The free slots; negative while runs that were taken over exceed them. */
    private static final class Free extends Semaphore {
        private static final long serialVersionUID = 1;

        Free(int slots) {
            super(slots);
        }

        void take() {
            reducePermits(1);
        }
    }

    /**
     * Creates the given number of slots.
     *
     * @param refuse takes a run for which no thread could be started
     */
    Slots(int slots, Consumer<LiveRun> runner, Consumer<LiveRun> refuse, Runnable whenFree) {
        this.runner = runner;
        this.refuse = refuse;
        this.whenFree = whenFree;
        this.free = new Free(slots);
        this.pool =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
                    var thread = new Thread(work, "longhaul-run-" + threads.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Runs these runs in this order, as soon as slots are free. */
    void run(Collection<LiveRun> runs) {
        waiting.addAndGet(runs.size());
        ahead.addAll(runs);
        startWaiting();
    }

    /**
     * Starts a run now, even if no slot is free, because its code already runs. The run occupies a slot as soon as one
     * is free.
     */
    void runNow(LiveRun run) {
        free.take();
        launch(run);
    }

    /** How many runs wait for a slot. */
    int waiting() {
        return waiting.get();
    }

    int free() {
        return free.availablePermits();
    }

    /** How many runs have ended; {@link #nanos} is their total run time. */
    long ended() {
        return ended.sum();
    }

    long nanos() {
        return nanos.sum();
    }

    /** Removes the runs that have not begun, so that another worker can run them. */
    List<LiveRun> takeWaiting() {
        var taken = new ArrayList<LiveRun>();
        for (LiveRun next = poll(); next != null; next = poll()) {
            taken.add(next);
        }
        return taken;
    }

    /** How long ago the first of the waiting runs was claimed; 0 when none waits. */
    long oldestWaiting(long now) {
        LiveRun first = ahead.peek();
        return first == null ? 0 : now - first.claimedAt();
    }

    @Override
    public void close() {
        pool.shutdown();
    }

    private @Nullable LiveRun poll() {
        LiveRun next = ahead.poll();
        if (next != null) {
            waiting.decrementAndGet();
        }
        return next;
    }

    private void startWaiting() {
        while (!ahead.isEmpty() && free.tryAcquire()) {
            LiveRun next = poll();
            if (next == null) {
                free.release();
            } else {
                launch(next);
            }
        }
    }

    private void launch(LiveRun run) {
        try {
            start(run);
        } catch (RuntimeException | Error e) {
            LogContext.around(run.context(), () -> LOG.error("{}: could not start a thread; giving it back", run, e));
            free.release();
            refuse.accept(run);
        }
    }

    private void start(LiveRun run) {
        if (virtual(run)) {
            Threads.startVirtual(() -> {
                try {
                    runOne(run);
                } finally {
                    release();
                }
            });
        } else {
            pool.execute(() -> runOneAfterAnother(run));
        }
    }

    private void runOneAfterAnother(LiveRun first) {
        LiveRun run = first;
        try {
            for (; run != null && !virtual(run); run = poll()) {
                runOne(run);
                whenFree.run();
            }
        } finally {
            if (run != null && virtual(run)) {
                launch(run);
            } else {
                release();
            }
        }
    }

    private static boolean virtual(LiveRun run) {
        return run.definition().virtualThreads() && Threads.virtual();
    }

    private void release() {
        free.release();
        // A run may have been added between the last poll and the release.
        startWaiting();
        whenFree.run();
    }

    private void runOne(LiveRun run) {
        long start = System.nanoTime();
        runner.accept(run);
        nanos.add(System.nanoTime() - start);
        ended.increment();
    }
}
