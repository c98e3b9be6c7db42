package dev.longhaul.enqueue;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobSpec;
import dev.longhaul.store.Inserted;
import dev.longhaul.store.JobStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers that enqueue one job each share commits. While one caller stores, those who come meanwhile gather; one of them
 * then stores for all. Nobody waits for company, no thread of its own, and each is answered after its commit.
 */
final class Enqueues {
    private static final int LARGEST_BATCH = 500;
    private static final long MOST_GATHERING = TimeUnit.MICROSECONDS.toNanos(500);

    private final JobStore store;
    private final Queue<Waiting> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final Semaphore turn = new Semaphore(1);
    /** How many callers were here at once a moment ago; kept by whoever has the turn. */
    private int callers = 1;

    private long lastNanos;
    private volatile int expected;
    private volatile @Nullable Thread gatherer;

    Enqueues(JobStore store) {
        this.store = store;
    }

    Inserted insert(JobSpec spec) {
        var mine = new Waiting(spec, Thread.currentThread());
        queue.add(mine);
        Thread gathering = gatherer;
        if (queued.incrementAndGet() >= expected && gathering != null) {
            LockSupport.unpark(gathering);
        }
        boolean interrupted = false;
        while (!mine.done) {
            if (turn.tryAcquire()) {
                try {
                    if (!mine.done) {
                        storeAll();
                    }
                } finally {
                    turn.release();
                    wakeNext();
                }
            } else {
                LockSupport.park(this);
                // The answer is on its way and must not be lost: whoever interrupted is told afterwards.
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return mine.answer();
    }

    private void storeAll() {
        awaitReturning();
        long start = System.nanoTime();
        var batch = new ArrayList<Waiting>(callers);
        for (Waiting next = queue.poll(); next != null; next = queue.poll()) {
            batch.add(next);
            if (batch.size() == LARGEST_BATCH) {
                break;
            }
        }
        queued.addAndGet(-batch.size());
        if (!batch.isEmpty()) {
            store(batch);
        }
        callers = batch.size() + queued.get();
        lastNanos = System.nanoTime() - start;
    }

    /**
     * Those who were answered a moment ago often come again at once. Without this they would miss the batch that begins now, and
     * callers would fall into two halves that take turns. A caller who is alone waits for nobody.
     */
    private void awaitReturning() {
        long left = Math.min(lastNanos / 3, MOST_GATHERING);
        long until = System.nanoTime() + left;
        expected = callers;
        gatherer = Thread.currentThread();
        while (queued.get() < callers && left > 0) {
            LockSupport.parkNanos(this, left);
            left = until - System.nanoTime();
        }
        gatherer = null;
    }

    private void store(List<Waiting> batch) {
        try {
            List<Inserted> inserted =
                    store.insertFresh(batch.stream().map(one -> one.spec).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).end(inserted.get(i), null);
            }
        } catch (RuntimeException | Error e) {
            boolean common = e instanceof LonghaulException known && known.code() == ErrorCode.UNAVAILABLE;
            if (batch.size() == 1 || common) {
                batch.forEach(one -> one.end(null, e));
                return;
            }
            // One of them is refused, and the store takes all or none: each on its own, so that only the culprit is
            // told.
            batch.forEach(one -> store(List.of(one)));
        }
    }

    /** Whoever is first in the queue may have parked before its turn came. */
    private void wakeNext() {
        Waiting next = queue.peek();
        if (next != null) {
            LockSupport.unpark(next.caller);
        }
    }

    /** A caller and what it is to be told. */
    private static final class Waiting {
        final JobSpec spec;
        final Thread caller;
        private @Nullable Inserted inserted;
        private @Nullable Throwable failure;
        volatile boolean done;

        Waiting(JobSpec spec, Thread caller) {
            this.spec = spec;
            this.caller = caller;
        }

        void end(@Nullable Inserted answer, @Nullable Throwable error) {
            inserted = answer;
            failure = error;
            done = true;
            LockSupport.unpark(caller);
        }

        Inserted answer() {
            if (failure instanceof LonghaulException known) {
                var own = known.errors().isEmpty()
                        ? new LonghaulException(known.code(), String.valueOf(known.getMessage()), known)
                        : new LonghaulException(known.code(), known.errors());
                throw own;
            }
            if (failure instanceof RuntimeException other) {
                throw other;
            }
            if (failure instanceof Error other) {
                throw other;
            }
            if (inserted == null) {
                throw new IllegalStateException("no answer");
            }
            return inserted;
        }
    }
}
