package dev.longhaul.store;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers who have one write each share commits. While one of them writes, those who come meanwhile gather; one of them
 * then writes for all. No thread of its own, and each goes on as soon as its own write is committed, whatever is written next.
 *
 * @param <T> a write
 * @param <A> its answer
 */
public final class SharedWrites<T, A> {
    private static final int LARGEST_BATCH = 500;
    private static final long MOST_GATHERING = TimeUnit.MICROSECONDS.toNanos(500);

    private final Function<List<T>, List<A>> store;
    private final Function<T, Object> subject;
    private final Queue<Waiting<T, A>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final Semaphore turn = new Semaphore(1);
    /** How many callers were here at once a moment ago; kept by whoever has the turn. */
    private int callers = 1;

    private long lastNanos;
    private volatile int expected;
    private volatile @Nullable Thread gatherer;

    /**
     * @param store writes all or none, and answers in the same order
     * @param subject what a write is about: one statement takes only one write of each
     */
    public SharedWrites(Function<List<T>, List<A>> store, Function<T, Object> subject) {
        this.store = store;
        this.subject = subject;
    }

    /** Writes, and comes back when it is committed or refused. */
    public A write(T write) {
        var mine = new Waiting<T, A>(write, Thread.currentThread());
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
                        writeNext();
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

    private void writeNext() {
        awaitReturning();
        long start = System.nanoTime();
        List<Waiting<T, A>> batch = nextBatch();
        queued.addAndGet(-batch.size());
        if (!batch.isEmpty()) {
            writeAll(batch);
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

    private List<Waiting<T, A>> nextBatch() {
        var batch = new LinkedHashMap<Object, Waiting<T, A>>();
        var later = new ArrayList<Waiting<T, A>>();
        while (batch.size() < LARGEST_BATCH) {
            Waiting<T, A> one = queue.poll();
            if (one == null) {
                break;
            }
            if (batch.putIfAbsent(subject.apply(one.write), one) != null) {
                later.add(one);
            }
        }
        queue.addAll(later);
        return List.copyOf(batch.values());
    }

    private void writeAll(List<Waiting<T, A>> batch) {
        try {
            List<A> answers = store.apply(batch.stream().map(one -> one.write).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).end(answers.get(i), null);
            }
        } catch (RuntimeException | Error e) {
            boolean common = e instanceof LonghaulException known && known.code() == ErrorCode.UNAVAILABLE;
            if (batch.size() == 1 || common) {
                batch.forEach(one -> one.end(null, e));
            } else {
                // One of them is refused, and the store takes all or none: each on its own, so that only the culprit is
                // told.
                batch.forEach(one -> writeAll(List.of(one)));
            }
        }
    }

    /** Whoever is first in the queue may have parked before its turn came. */
    private void wakeNext() {
        Waiting<T, A> next = queue.peek();
        if (next != null) {
            LockSupport.unpark(next.caller);
        }
    }

    /** A caller and what it is to be told. */
    private static final class Waiting<T, A> {
        final T write;
        final Thread caller;
        private @Nullable A answer;
        private @Nullable Throwable failure;
        volatile boolean done;

        Waiting(T write, Thread caller) {
            this.write = write;
            this.caller = caller;
        }

        void end(@Nullable A given, @Nullable Throwable error) {
            answer = given;
            failure = error;
            done = true;
            LockSupport.unpark(caller);
        }

        A answer() {
            if (failure instanceof LonghaulException known) {
                // Each caller has one of its own, with its own stack.
                throw known.errors().isEmpty()
                        ? new LonghaulException(known.code(), String.valueOf(known.getMessage()), known)
                        : new LonghaulException(known.code(), known.errors());
            }
            if (failure instanceof RuntimeException other) {
                throw other;
            }
            if (failure instanceof Error other) {
                throw other;
            }
            if (answer == null) {
                throw new IllegalStateException("no answer");
            }
            return answer;
        }
    }
}
