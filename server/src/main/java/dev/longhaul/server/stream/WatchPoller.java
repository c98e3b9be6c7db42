package dev.longhaul.server.stream;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that looks into the store for whoever watches something: a slow store makes looks rarer, and never piles them up.
 * While the store is out of reach it tries again and again.
 */
final class Looker {
    private static final Logger LOG = LoggerFactory.getLogger(Looker.class);
    private static final Duration USUAL = Duration.ofMillis(100);
    /** Between two looks of all watches together, so that polls make at most 200 queries a second. */
    private static final Duration SHARE = Duration.ofMillis(5);
    /** Hints of one watch that come closer together than this part of its interval are answered by one look. */
    private static final int HINTS_PER_INTERVAL = 10;

    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final Store store;
    private final Set<Watch> watches = new LinkedHashSet<>();
    private @Nullable BackgroundLoop loop;
    private long notBefore = System.nanoTime();
    private boolean away;
    private boolean closed;

    Looker(Store store) {
        this.store = store;
    }

    /** Something to look at. */
    abstract static class Watch {
        private final boolean polled;
        private long dueAt;
        private long lookedAt;

        /** @param polled whether to look without being told, too */
        Watch(boolean polled) {
            this.polled = polled;
            this.dueAt = System.nanoTime();
            this.lookedAt = dueAt - USUAL.toNanos();
        }

        /** Looks once, in the looking thread; answers whether there is more to be had at once. */
        abstract boolean look(Store store);
    }

    synchronized void add(Watch watch) {
        watches.add(watch);
        if (loop == null && !closed) {
            loop = BackgroundLoop.vital("live", this::pass);
        }
        notifyAll();
    }

    synchronized void remove(Watch watch) {
        watches.remove(watch);
    }

    /** Something has happened: looks soon. */
    void hint(Watch watch) {
        hint(watch, Duration.ofNanos(interval() / HINTS_PER_INTERVAL));
    }

    /** Something has happened: looks as soon as the last look is that long ago. */
    synchronized void hint(Watch watch, Duration sinceLast) {
        long at = Math.max(watch.lookedAt - System.nanoTime() + sinceLast.toNanos(), 0) + System.nanoTime();
        if (watch.dueAt - at > 0) {
            watch.dueAt = at;
            notifyAll();
        }
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    private synchronized long interval() {
        return Math.max(USUAL.toNanos(), SHARE.toNanos() * watches.size());
    }

    private boolean pass() throws InterruptedException {
        List<Watch> due = awaitDue();
        due.forEach(this::look);
        return !due.isEmpty();
    }

    /** The watches that are due; none when there is nothing more to do. */
    private synchronized List<Watch> awaitDue() throws InterruptedException {
        while (!closed) {
            long now = System.nanoTime();
            var due = new ArrayList<Watch>();
            long wait = Long.MAX_VALUE;
            for (Watch watch : watches) {
                long left = Math.max(watch.dueAt - now, notBefore - now);
                wait = Math.min(wait, left);
                if (left <= 0) {
                    due.add(watch);
                }
            }
            if (!due.isEmpty()) {
                return due;
            }
            // Zero waits until somebody tells.
            wait(wait == Long.MAX_VALUE ? 0 : wait / 1_000_000 + 1);
        }
        return List.of();
    }

    private void look(Watch watch) {
        synchronized (this) {
            if (closed || !watches.contains(watch) || notBefore - System.nanoTime() > 0) {
                return;
            }
            // Set before looking: what is told meanwhile makes it due again.
            watch.lookedAt = System.nanoTime();
            watch.dueAt = watch.lookedAt + (watch.polled ? interval() : Long.MAX_VALUE / 2);
        }
        try {
            boolean more = watch.look(store);
            back();
            if (more) {
                hint(watch, Duration.ZERO);
            }
        } catch (RuntimeException | Error e) {
            failed(watch, e);
        }
    }

    private synchronized void back() {
        if (away) {
            away = false;
            LOG.info("the store is back: streams go on");
        }
    }

    /** Only this watch waits: one job whose events cannot be read must not hold up the streams of others. */
    private synchronized void failed(Watch watch, Throwable failure) {
        long later = System.nanoTime() + AFTER_FAILURE.toNanos();
        watch.dueAt = later;
        if (failure instanceof LonghaulException known && known.code() == ErrorCode.UNAVAILABLE) {
            notBefore = later;
            if (!away) {
                away = true;
                LOG.warn("the store is out of reach: streams wait for it: {}", failure.getMessage());
            }
        } else if (!closed && loop != null) {
            loop.note(failure);
        }
    }
}
