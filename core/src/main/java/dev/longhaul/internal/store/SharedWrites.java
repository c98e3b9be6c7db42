package dev.longhaul.internal.store;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Combines the writes of concurrent callers into shared commits. While one caller writes, the writes of later callers
 * queue up; one of those callers then writes them all. Needs no thread of its own, and each caller returns as soon as
 * its own write is committed.
 *
 * @param <T> a write
 * @param <A> its result
 */
public final class SharedWrites<T, A> {
    private static final int LARGEST_BATCH = 500;
    private static final long MOST_GATHERING = TimeUnit.MICROSECONDS.toNanos(500);

    private static final int MOST_TRIES = 3;

    private final Function<List<T>, List<A>> store;
    private final Function<List<T>, List<A>> repeat;
    private final Function<T, Object> subject;
    private final Function<T, Object> group;
    private final Queue<Waiting<T, A>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final Semaphore turn = new Semaphore(1);
    /** How many callers there were recently; only the caller whose turn it is changes it. */
    private int callers = 1;

    private long lastNanos;
    private volatile int expected;
    private volatile @Nullable Thread gatherer;
    /** Whether the thread whose turn it is was interrupted while it wrote; used by that thread alone. */
    private boolean interruptedMeanwhile;

    /**
     * @param store writes all or none, and returns the results in the same order; may be called again with the same
     * writes
     * @param subject returns the entity that a write changes: a batch contains only one write per subject
     */
    public SharedWrites(Function<List<T>, List<A>> store, Function<T, Object> subject) {
        this(store, store, subject, subject);
    }

    /**
     * @param store writes all or none, and returns the results in the same order
     * @param repeat does the same for writes that an earlier call may have stored
     * @param subject returns the entity that a write changes: a batch contains only one write per subject
     * @param group returns the entity, such as a queue, whose capacity limit applies to a write: if one write of a
     * group exceeds the limit, the remaining writes of the group are rejected too
     */
    public SharedWrites(
            Function<List<T>, List<A>> store,
            Function<List<T>, List<A>> repeat,
            Function<T, Object> subject,
            Function<T, Object> group) {
        this.store = store;
        this.repeat = repeat;
        this.subject = subject;
        this.group = group;
    }

    /** Writes; returns when the write is committed, throws when it is rejected. */
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
                // This thread writes for other callers, too: an interrupt must not fail their writes.
                interrupted |= Thread.interrupted();
                try {
                    if (!mine.done) {
                        writeNext();
                    }
                } finally {
                    interrupted |= interruptedMeanwhile;
                    interruptedMeanwhile = false;
                    turn.release();
                    wakeNext();
                }
            } else {
                LockSupport.park(this);
                // The result is about to arrive and must not be lost: the interrupt is restored afterwards.
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
        if (!batch.isEmpty()) {
            writeAll(batch);
        }
        callers = batch.size() + queued.get();
        lastNanos = System.nanoTime() - start;
    }

    /**
     * Waits for callers that were just served, because they often call again at once. Without this wait they would miss
     * the batch that starts now, and callers would split into two halves that take turns. A single caller does not
     * wait.
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

    /** Takes writes from the queue. Each taken write ends up in the batch, in the queue again, or failed. */
    private List<Waiting<T, A>> nextBatch() {
        var taken = new ArrayList<Waiting<T, A>>();
        try {
            var batch = new LinkedHashMap<Object, Waiting<T, A>>();
            var later = new ArrayList<Waiting<T, A>>();
            for (Waiting<T, A> one = queue.peek(); one != null && batch.size() < LARGEST_BATCH; one = queue.peek()) {
                taken.add(one);
                queue.remove();
                if (batch.putIfAbsent(subject.apply(one.write), one) != null) {
                    later.add(one);
                }
            }
            queue.addAll(later);
            queued.addAndGet(-batch.size());
            return List.copyOf(batch.values());
        } catch (RuntimeException | Error e) {
            queue.removeAll(taken);
            queued.addAndGet(-taken.size());
            taken.forEach(one -> one.end(null, e));
            return List.of();
        }
    }

    private void writeAll(List<Waiting<T, A>> batch) {
        Throwable failure = attempt(batch, store);
        if (failure == null) {
            return;
        }
        if (batch.size() == 1 || unavailable(failure)) {
            fail(batch, failure);
        } else {
            split(batch);
        }
    }

    /** Finds the rejected writes by bisection, because the store takes all or none; then only those writes fail. */
    private void split(List<Waiting<T, A>> batch) {
        var groups = new LinkedHashMap<Object, List<Waiting<T, A>>>();
        batch.forEach(one -> groups.computeIfAbsent(group.apply(one.write), none -> new ArrayList<>())
                .add(one));
        var sorted = new ArrayList<Waiting<T, A>>(batch.size());
        groups.values().forEach(sorted::addAll);
        halves(sorted, new HashMap<>());
    }

    private void halves(List<Waiting<T, A>> batch, Map<Object, Throwable> full) {
        int half = batch.size() / 2;
        for (List<Waiting<T, A>> part : List.of(batch.subList(0, half), batch.subList(half, batch.size()))) {
            List<Waiting<T, A>> left = refuseFull(part, full);
            Throwable failure = left.isEmpty() ? null : attempt(left, repeat);
            if (failure == null) {
                continue;
            }
            if (unavailable(failure)) {
                fail(left, failure);
            } else if (left.size() > 1) {
                halves(left, full);
            } else {
                if (failure instanceof LonghaulException known && known.code() == ErrorCode.RESOURCE_EXHAUSTED) {
                    full.put(group.apply(left.get(0).write), failure);
                }
                fail(left, failure);
            }
        }
    }

    /** Rejects the writes whose group is full, without calling the store for each; returns the remaining writes. */
    private List<Waiting<T, A>> refuseFull(List<Waiting<T, A>> part, Map<Object, Throwable> full) {
        if (full.isEmpty()) {
            return part;
        }
        var left = new ArrayList<Waiting<T, A>>(part.size());
        for (Waiting<T, A> one : part) {
            Throwable refusal = full.get(group.apply(one.write));
            if (refusal == null) {
                left.add(one);
            } else {
                one.end(null, refusal);
            }
        }
        return left;
    }

    /**
     * Writes all; retries if that failed because this thread was interrupted, for example while it waited for a
     * connection.
     */
    private @Nullable Throwable attempt(List<Waiting<T, A>> batch, Function<List<T>, List<A>> write) {
        Throwable failure = tryAll(batch, write);
        for (int tries = 1; unavailable(failure) && Thread.interrupted() && tries < MOST_TRIES; tries++) {
            interruptedMeanwhile = true;
            failure = tryAll(batch, repeat);
        }
        return failure;
    }

    /** Returns the failure; null when all were written. */
    private @Nullable Throwable tryAll(List<Waiting<T, A>> batch, Function<List<T>, List<A>> write) {
        try {
            List<A> answers = write.apply(batch.stream().map(one -> one.write).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).end(answers.get(i), null);
            }
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    private void fail(List<Waiting<T, A>> batch, Throwable failure) {
        batch.forEach(one -> one.end(null, failure));
    }

    private static boolean unavailable(@Nullable Throwable failure) {
        return failure instanceof LonghaulException known && known.code() == ErrorCode.UNAVAILABLE;
    }

    /** Wakes the first caller in the queue, which may have parked before its turn came. */
    private void wakeNext() {
        Waiting<T, A> next = queue.peek();
        if (next != null) {
            LockSupport.unpark(next.caller);
        }
    }

    /** A caller that waits for the result of its write. */
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
                // Each caller gets its own exception, with its own stack trace.
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
                throw new IllegalStateException("no result for the write");
            }
            return answer;
        }
    }
}
