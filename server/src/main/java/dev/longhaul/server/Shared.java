package dev.longhaul.server;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers who have one write each share a statement. While one of them writes, those who come meanwhile gather; one of them
 * then writes for all. Each goes on as soon as its own write is committed, whatever is written next.
 *
 * @param <T> a write
 * @param <A> its answer
 */
final class Shared<T, A> {
    private static final int MOST = 500;

    private final Function<List<T>, List<A>> store;
    private final Function<T, Object> subject;
    private final Queue<Waiting<T, A>> queue = new ConcurrentLinkedQueue<>();
    private final Semaphore turn = new Semaphore(1);

    /** @param subject what a write is about: one statement takes only one write of each */
    Shared(Function<List<T>, List<A>> store, Function<T, Object> subject) {
        this.store = store;
        this.subject = subject;
    }

    A write(T write) {
        var mine = new Waiting<T, A>(write, Thread.currentThread());
        queue.add(mine);
        boolean interrupted = false;
        while (!mine.done) {
            if (turn.tryAcquire()) {
                try {
                    if (!mine.done) {
                        writeAll(next());
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

    /** How many writes wait for the one under way. */
    int waiting() {
        return queue.size();
    }

    private List<Waiting<T, A>> next() {
        var batch = new LinkedHashMap<Object, Waiting<T, A>>();
        var later = new ArrayList<Waiting<T, A>>();
        while (batch.size() < MOST) {
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
        if (batch.isEmpty()) {
            return;
        }
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
                // Each on its own, so that only the culprit is told.
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
            if (failure instanceof RuntimeException known) {
                throw known;
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
