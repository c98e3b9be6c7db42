package dev.longhaul.server.stream;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.spi.JobStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the store for all open streams on one thread. A slow store lowers the poll rate; polls never queue up. While the store is
 * unavailable, polls are retried.
 */
final class WatchPoller {
    private static final Logger LOG = LoggerFactory.getLogger(WatchPoller.class);
    private static final Duration USUAL = Duration.ofMillis(100);
    /** Between two polls of all watches together, so that there are at most 200 queries a second. */
    private static final Duration SHARE = Duration.ofMillis(5);
    /** Hints of one watch that come closer together than this part of its interval cause one poll. */
    private static final int HINTS_PER_INTERVAL = 10;

    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final JobStore jobs;
    private final Set<Watch> watches = new LinkedHashSet<>();
    private @Nullable BackgroundLoop loop;
    private long notBefore = System.nanoTime();
    private boolean away;
    private boolean closed;

    WatchPoller(JobStore jobs) {
        this.jobs = jobs;
    }

    /** Reads what its streams need, whenever it is polled. */
    abstract static class Watch {
        private final boolean polled;
        private long dueAt;
        private long polledAt;

        /** @param polled whether to poll without a hint, too */
        Watch(boolean polled) {
            this.polled = polled;
            this.dueAt = System.nanoTime();
            this.polledAt = dueAt - USUAL.toNanos();
        }

        /** Reads once, on the poller's thread; returns whether there is more to read at once. */
        abstract boolean poll(JobStore jobs);
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

    /** Polls the watch soon. */
    void hint(Watch watch) {
        hint(watch, Duration.ofNanos(interval() / HINTS_PER_INTERVAL));
    }

    /** Polls the watch as soon as its last poll is that long ago. */
    synchronized void hint(Watch watch, Duration sinceLast) {
        long at = Math.max(watch.polledAt - System.nanoTime() + sinceLast.toNanos(), 0) + System.nanoTime();
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
        due.forEach(this::poll);
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
            // Zero waits until there is a hint.
            wait(wait == Long.MAX_VALUE ? 0 : wait / 1_000_000 + 1);
        }
        return List.of();
    }

    private void poll(Watch watch) {
        synchronized (this) {
            if (closed || !watches.contains(watch) || notBefore - System.nanoTime() > 0) {
                return;
            }
            // Set before the poll: a hint that arrives meanwhile makes the watch due again.
            watch.polledAt = System.nanoTime();
            watch.dueAt = watch.polledAt + (watch.polled ? interval() : Long.MAX_VALUE / 2);
        }
        try {
            boolean more = watch.poll(jobs);
            available();
            if (more) {
                hint(watch, Duration.ZERO);
            }
        } catch (RuntimeException | Error e) {
            failed(watch, e);
        }
    }

    private synchronized void available() {
        if (away) {
            away = false;
            LOG.info("store available again; streams resume");
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
                LOG.warn("store unavailable; streams wait, retrying: {}", failure.getMessage());
            }
        } else if (!closed && loop != null) {
            loop.note(failure);
        }
    }
}
