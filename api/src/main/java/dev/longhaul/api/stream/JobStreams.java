package dev.longhaul.api.stream;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open streams and long polls of this server. One thread polls the store for all of them: a slow store lowers the
 * poll rate, and polls never queue up. A signal only causes an earlier poll, so a lost signal causes only a short
 * delay. While the store is unavailable, polls are retried.
 */
public final class JobStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobStreams.class);
    private static final int STREAMS_PER_JOB = 10;
    private static final int CHANGE_STREAMS = 100;
    private static final Duration CHANGES_EVERY = Duration.ofSeconds(1);

    private static final Duration USUAL = Duration.ofMillis(100);
    /** Minimum time between two polls of any watches; it limits them to 200 queries a second. */
    private static final Duration SHARE = Duration.ofMillis(5);
    /** Maximum polls of one watch per interval that signals cause. */
    private static final int HINTS_PER_INTERVAL = 10;

    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final JobStore jobs;
    private final Map<String, JobWatch> watches = new HashMap<>();
    private final ChangeFeed changes = new ChangeFeed();
    private final Set<Watch> polled = new LinkedHashSet<>();
    private final Subscription signals;
    private @Nullable BackgroundLoop loop;
    private long notBefore = System.nanoTime();
    private boolean unavailable;
    private boolean closed;

    /** Reads data for its streams each time it is polled. */
    abstract static class Watch {
        private final boolean polled;
        private long dueAt;
        private long polledAt;

        /** @param polled whether it is also polled regularly, without hints */
        Watch(boolean polled) {
            this.polled = polled;
            this.dueAt = System.nanoTime();
            this.polledAt = dueAt - USUAL.toNanos();
        }

        /** Reads once on the poller's thread. Returns whether there is more to read immediately. */
        abstract boolean poll(JobStore jobs);
    }

    public JobStreams(Store store) {
        this.jobs = store.jobs();
        // Subscribes before the first stream opens, so that no signal is missed.
        this.signals = store.work().listen(this::received);
    }

    /** Streams the job's stored events, then new events, then the end of the job. */
    void events(SseWriter sse, EventQuery query) {
        JobId id = query.jobId();
        var stream = new EventStream(sse, query);
        synchronized (this) {
            requireRoom(id);
            sse.open(() -> roomFor(id, stream), () -> unfollow(id, stream));
            join(id, watched -> watched.streams().add(stream));
        }
    }

    /** Sends a job's events to a stream until {@link #unfollow} is called. Throws if the job has too many streams. */
    public synchronized void follow(JobId id, EventStream stream) {
        requireRoom(id);
        join(id, watched -> watched.streams().add(stream));
    }

    public void unfollow(JobId id, EventStream stream) {
        leave(id, watched -> watched.streams().remove(stream));
    }

    /** Resumes a stream that has room for more events. */
    public void roomFor(JobId id, EventStream stream) {
        stream.hasRoom();
        hint(id);
    }

    private void requireRoom(JobId id) {
        requireOpen();
        JobWatch watch = watches.get(id.toString());
        if (watch != null && watch.streams().size() >= STREAMS_PER_JOB) {
            throw new LonghaulException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "job " + id + " already has " + STREAMS_PER_JOB
                            + " streams on this server; close one, or connect to another server");
        }
    }

    /** Streams the changes of all jobs. */
    void changes(SseWriter sse, ChangeStream.Filter filter) {
        var stream = new ChangeStream(sse, filter);
        synchronized (this) {
            requireOpen();
            if (changes.streams().size() >= CHANGE_STREAMS) {
                throw new LonghaulException(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "this server already has " + CHANGE_STREAMS
                                + " streams of all jobs; try another server, or wait");
            }
            sse.open(stream::hasRoom, () -> leaveChanges(stream));
            changes.streams().add(stream);
            startPolling(changes);
        }
    }

    /**
     * Returns a future that completes with the job when it has ended, or with empty when the server drains. The caller
     * may complete it to end the wait.
     */
    CompletableFuture<Optional<Job>> ended(JobId id) {
        var ended = new CompletableFuture<Optional<Job>>();
        synchronized (this) {
            if (closed) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            join(id, watch -> watch.waiting().add(ended));
        }
        var unused = ended.whenComplete((job, failure) ->
                leave(id, watch -> watch.waiting().removeIf(one -> one == ended)));
        return ended;
    }

    private void requireOpen() {
        if (closed) {
            throw new LonghaulException(
                    ErrorCode.UNAVAILABLE, "this server is shutting down; try again, or connect to another server");
        }
    }

    private void join(JobId id, Consumer<JobWatch> joining) {
        JobWatch watch = watches.computeIfAbsent(id.toString(), key -> new JobWatch(id));
        watch.joining();
        joining.accept(watch);
        startPolling(watch);
        hint(watch, Duration.ZERO);
    }

    private synchronized void leave(JobId id, Consumer<JobWatch> leaving) {
        JobWatch watch = watches.get(id.toString());
        if (watch != null) {
            leaving.accept(watch);
            if (watch.idle()) {
                watches.remove(id.toString());
                polled.remove(watch);
            }
        }
    }

    private synchronized void leaveChanges(ChangeStream stream) {
        changes.streams().remove(stream);
        if (changes.streams().isEmpty()) {
            polled.remove(changes);
        }
    }

    private void received(Signal signal) {
        if (signal.kind() != Signal.Kind.CHANGED) {
            return;
        }
        String[] subjects = signal.subject().split(",", -1);
        boolean hinted;
        synchronized (this) {
            for (String subject : subjects) {
                if (subject.equals("*")) {
                    watches.values().forEach(this::hint);
                } else {
                    JobWatch watch = watches.get(subject);
                    if (watch != null) {
                        hint(watch);
                    }
                }
            }
            hinted = !changes.streams().isEmpty();
        }
        if (hinted) {
            changes.add(subjects);
            hint(changes, CHANGES_EVERY);
        }
    }

    private synchronized void hint(JobId id) {
        JobWatch watch = watches.get(id.toString());
        if (watch != null) {
            hint(watch, Duration.ZERO);
        }
    }

    /** Ends every stream with a request to reconnect, and every long poll with the current state of the job. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            notifyAll();
        }
        signals.close();
        // No stream is added after closed is set, and streams that end remove themselves, so this loop sees all of
        // them.
        for (JobWatch watch : watching()) {
            watch.streams().forEach(EventStream::drain);
            watch.waiting().forEach(one -> one.complete(Optional.empty()));
        }
        changes.streams().forEach(ChangeStream::drain);
    }

    /** Returns the number of open streams. */
    public synchronized int streams() {
        return changes.streams().size()
                + watches.values().stream()
                        .mapToInt(watch -> watch.streams().size())
                        .sum();
    }

    private synchronized Set<JobWatch> watching() {
        return Set.copyOf(watches.values());
    }

    // Polls

    private synchronized void startPolling(Watch watch) {
        polled.add(watch);
        if (loop == null && !closed) {
            loop = BackgroundLoop.vital("live", this::pass);
        }
        notifyAll();
    }

    /** Requests an early poll of the watch. */
    private void hint(Watch watch) {
        hint(watch, Duration.ofNanos(interval() / HINTS_PER_INTERVAL));
    }

    /** Requests a poll of the watch as soon as {@code sinceLast} has passed since its last poll. */
    private synchronized void hint(Watch watch, Duration sinceLast) {
        long at = Math.max(watch.polledAt - System.nanoTime() + sinceLast.toNanos(), 0) + System.nanoTime();
        if (watch.dueAt - at > 0) {
            watch.dueAt = at;
            notifyAll();
        }
    }

    private synchronized long interval() {
        return Math.max(USUAL.toNanos(), SHARE.toNanos() * polled.size());
    }

    private boolean pass() throws InterruptedException {
        List<Watch> due = awaitDue();
        due.forEach(this::poll);
        return !due.isEmpty();
    }

    /** Waits for watches that are due; returns an empty list when the poller should end. */
    private synchronized List<Watch> awaitDue() throws InterruptedException {
        while (!closed) {
            long now = System.nanoTime();
            var due = new ArrayList<Watch>();
            long wait = Long.MAX_VALUE;
            for (Watch watch : polled) {
                long left = Math.max(watch.dueAt - now, notBefore - now);
                wait = Math.min(wait, left);
                if (left <= 0) {
                    due.add(watch);
                }
            }
            if (!due.isEmpty()) {
                return due;
            }
            // wait(0) waits until the next hint.
            wait(wait == Long.MAX_VALUE ? 0 : wait / 1_000_000 + 1);
        }
        return List.of();
    }

    private void poll(Watch watch) {
        synchronized (this) {
            if (closed || !polled.contains(watch) || notBefore - System.nanoTime() > 0) {
                return;
            }
            // Set before the poll, so that a hint that arrives during the poll makes the watch due again.
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
        if (unavailable) {
            unavailable = false;
            LOG.info("store available again; streams resume");
        }
    }

    /**
     * Delays the next poll of this watch only: a job whose events cannot be read must not delay the streams of other
     * jobs.
     */
    private synchronized void failed(Watch watch, Throwable failure) {
        long later = System.nanoTime() + AFTER_FAILURE.toNanos();
        watch.dueAt = later;
        if (failure instanceof LonghaulException known && known.code() == ErrorCode.UNAVAILABLE) {
            notBefore = later;
            if (!unavailable) {
                unavailable = true;
                LOG.warn("store unavailable; streams wait, retrying: {}", failure.getMessage());
            }
        } else if (!closed && loop != null) {
            loop.note(failure);
        }
    }
}
