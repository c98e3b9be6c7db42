package dev.longhaul.server;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers who have one write each share a statement. While one of them writes, those who come meanwhile gather; the next one
 * then writes for all. Each is answered after its own commit.
 *
 * @param <T> a write
 * @param <A> its answer
 */
final class Shared<T, A> {
    private static final int MOST = 500;

    private final Function<List<T>, List<A>> store;
    private final Function<T, Object> subject;
    private final Queue<Waiting<T, A>> queue = new ConcurrentLinkedQueue<>();
    private final ReentrantLock turn = new ReentrantLock();

    /** @param subject what a write is about: one statement takes only one write of each */
    Shared(Function<List<T>, List<A>> store, Function<T, Object> subject) {
        this.store = store;
        this.subject = subject;
    }

    private static final class Waiting<T, A> {
        final T write;

        @Nullable
        A answer;

        @Nullable
        RuntimeException failure;

        Waiting(T write) {
            this.write = write;
        }

        boolean done() {
            return answer != null || failure != null;
        }
    }

    A write(T write) {
        var mine = new Waiting<T, A>(write);
        queue.add(mine);
        while (true) {
            turn.lock();
            try {
                if (!mine.done()) {
                    writeAll(next());
                }
                if (mine.failure != null) {
                    throw mine.failure;
                }
                if (mine.answer != null) {
                    return mine.answer;
                }
            } finally {
                turn.unlock();
            }
        }
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
        try {
            List<A> answers = store.apply(batch.stream().map(one -> one.write).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).answer = answers.get(i);
            }
        } catch (RuntimeException e) {
            boolean common = e instanceof LonghaulException known && known.code() == ErrorCode.UNAVAILABLE;
            if (batch.size() == 1 || common) {
                batch.forEach(one -> one.failure = e);
            } else {
                // Each on its own, so that only the culprit is told.
                batch.forEach(one -> writeAll(List.of(one)));
            }
        }
    }
}
