package dev.longhaul.server.stream;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.server.rest.JobJson;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Subscription;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The open streams and long polls of this server. Their data comes from polls of the store; signals only bring a poll forward,
 * so that a lost signal costs a moment and nothing else.
 */
public final class JobStreams implements AutoCloseable {
    private static final int STREAMS_PER_JOB = 10;
    private static final int CHANGE_STREAMS = 100;
    private static final Duration CHANGES_EVERY = Duration.ofSeconds(1);

    private final WatchPoller poller;
    private final Map<String, JobWatch> watches = new HashMap<>();
    private final ChangeFeed changes = new ChangeFeed();
    private final Subscription signals;
    private boolean closed;

    public JobStreams(Store store) {
        this.poller = new WatchPoller(store.jobs());
        // From the start: a stream that begins hears everything from then on.
        this.signals = store.work().listen(this::received);
    }

    /** A stream of the job's events: those that are stored, then those to come, then the end. */
    HttpResponse events(ServiceRequestContext context, JobId id, Function<SseWriter, EventStream> opening) {
        var self = new Self<EventStream>();
        var sse = new SseWriter(context, () -> self.tell(stream -> roomFor(id, stream)));
        var stream = opening.apply(sse);
        self.stream = stream;
        synchronized (this) {
            requireRoom(id);
            HttpResponse response = sse.open(() -> unfollow(id, stream));
            join(id, watched -> watched.streams().add(stream));
            return response;
        }
    }

    /** Lets a stream follow a job until {@link #unfollow}; fails when too many do already. */
    public synchronized void follow(JobId id, EventStream stream) {
        requireRoom(id);
        join(id, watched -> watched.streams().add(stream));
    }

    public void unfollow(JobId id, EventStream stream) {
        leave(id, watched -> watched.streams().remove(stream));
    }

    /** The stream can take more. */
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
                    "job " + id + " has " + STREAMS_PER_JOB
                            + " streams on this server already; close one, or ask another server");
        }
    }

    /** Stands for a stream that is about to be made. */
    private static final class Self<T> {
        private volatile @Nullable T stream;

        void tell(Consumer<T> action) {
            T made = stream;
            if (made != null) {
                action.accept(made);
            }
        }
    }

    /** A stream of the changes of all jobs. */
    HttpResponse changes(ServiceRequestContext context, JobJson json, JobJson.View view, ChangeStream.Filter filter) {
        var self = new Self<ChangeStream>();
        var sse = new SseWriter(context, () -> self.tell(ChangeStream::hasRoom));
        var stream = new ChangeStream(sse, json, view, filter);
        self.stream = stream;
        synchronized (this) {
            requireOpen();
            if (changes.streams().size() >= CHANGE_STREAMS) {
                throw new LonghaulException(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "this server has " + CHANGE_STREAMS + " streams of all jobs already; ask another, or wait");
            }
            HttpResponse response = sse.open(() -> leaveChanges(stream));
            changes.streams().add(stream);
            poller.add(changes);
            return response;
        }
    }

    /** Completed with the job once it has ended; with nothing when the server drains. Completing it from outside ends the wait. */
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
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "this server is draining; come back, or ask another");
        }
    }

    private void join(JobId id, Consumer<JobWatch> joining) {
        JobWatch watch = watches.computeIfAbsent(id.toString(), key -> new JobWatch(id));
        watch.joining();
        joining.accept(watch);
        poller.add(watch);
        poller.hint(watch, Duration.ZERO);
    }

    private synchronized void leave(JobId id, Consumer<JobWatch> leaving) {
        JobWatch watch = watches.get(id.toString());
        if (watch != null) {
            leaving.accept(watch);
            if (watch.idle()) {
                watches.remove(id.toString());
                poller.remove(watch);
            }
        }
    }

    private synchronized void leaveChanges(ChangeStream stream) {
        changes.streams().remove(stream);
        if (changes.streams().isEmpty()) {
            poller.remove(changes);
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
                    watches.values().forEach(poller::hint);
                } else {
                    JobWatch watch = watches.get(subject);
                    if (watch != null) {
                        poller.hint(watch);
                    }
                }
            }
            hinted = !changes.streams().isEmpty();
        }
        if (hinted) {
            changes.add(subjects);
            poller.hint(changes, CHANGES_EVERY);
        }
    }

    private synchronized void hint(JobId id) {
        JobWatch watch = watches.get(id.toString());
        if (watch != null) {
            poller.hint(watch, Duration.ZERO);
        }
    }

    /** Ends every stream with a hint to come back, and every long poll with the job as it is. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        signals.close();
        poller.close();
        // Nobody joins any more; whoever leaves takes itself out of these.
        for (JobWatch watch : watching()) {
            watch.streams().forEach(EventStream::drain);
            watch.waiting().forEach(one -> one.complete(Optional.empty()));
        }
        changes.streams().forEach(ChangeStream::drain);
    }

    /** How many streams are open. */
    public synchronized int streams() {
        return changes.streams().size()
                + watches.values().stream()
                        .mapToInt(watch -> watch.streams().size())
                        .sum();
    }

    private synchronized Set<JobWatch> watching() {
        return Set.copyOf(watches.values());
    }
}
