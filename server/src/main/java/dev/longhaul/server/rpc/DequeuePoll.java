package dev.longhaul.server.rpc;

import com.linecorp.armeria.common.logging.RequestLog;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.http.Caller;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client that waits for jobs. No thread waits with it. */
final class DequeuePoll {
    /** If a client disconnects this soon after a job was sent, it has probably not received the job. */
    private static final long JUST_SENT = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(DequeuePoll.class);

    private final Options options;
    private final ServerCallStreamObserver<DequeueJobResponse> observer;
    private final Function<ClaimedJob, DequeueJobResponse> writing;
    private final List<Handed> handed = new ArrayList<>();
    /** Number of jobs, the latest ones, that may not have left the server yet. */
    private int unsent;

    private volatile boolean open = true;

    /**
     * The options of the client's request.
     *
     * @param begin which runs begin when they are claimed
     */
    record Options(
            Caller caller,
            String queue,
            @Nullable Set<DefinitionRef> definitions,
            int maxJobs,
            boolean firstBatchOnly,
            Duration visibility,
            Duration endMargin,
            ClaimRequest.Begin begin,
            String workerId) {}

    private record Handed(Claim claim, long at) {}

    DequeuePoll(
            Options options,
            ServerCallStreamObserver<DequeueJobResponse> observer,
            Function<ClaimedJob, DequeueJobResponse> writing) {
        this.options = options;
        this.observer = observer;
        this.writing = writing;
    }

    /**
     * Waits for jobs from {@code dequeues} until the client has the requested number, the wait times out, or the client
     * disconnects.
     */
    void start(ServiceRequestContext context, Dequeues dequeues, Duration wait) {
        observer.setOnReadyHandler(this::sent);
        observer.setOnCancelHandler(() -> gone(dequeues));
        var unused = context.log().whenComplete().thenAccept(log -> {
            gone(dequeues);
            dequeues.giveBack(undelivered(log));
        });
        if (wait.isZero()) {
            dequeues.once(this);
            end();
            return;
        }
        dequeues.begin(this);
        if (open) {
            var enough = context.eventLoop().schedule(() -> end(dequeues), wait.toNanos(), TimeUnit.NANOSECONDS);
            var unusedEnd = context.log().whenComplete().thenRun(() -> enough.cancel(false));
        }
    }

    String queue() {
        return options.queue();
    }

    @Nullable
    Set<DefinitionRef> definitions() {
        return options.definitions();
    }

    ClaimRequest request(int max) {
        return ClaimRequest.of(
                        options.workerId(), List.of(options.queue()), options.definitions(), max, options.visibility())
                .remote(options.endMargin())
                .beginning(options.begin());
    }

    /** Returns whether one claim may serve both polls: they have the same key, worker and lease options. */
    boolean sharesWith(DequeuePoll other) {
        return options.caller().equals(other.options.caller())
                && options.workerId().equals(other.options.workerId())
                && options.visibility().equals(other.options.visibility())
                && options.endMargin().equals(other.options.endMargin())
                && options.begin() == other.options.begin();
    }

    boolean isOpen() {
        return open && !observer.isCancelled();
    }

    /** Returns how many more jobs the client accepts. */
    synchronized int room() {
        return isOpen() ? options.maxJobs() - handed.size() : 0;
    }

    /** Sends jobs to the client; returns the claims that could not be sent. */
    List<Claim> give(List<ClaimedJob> jobs) {
        List<DequeueJobResponse> responses =
                isOpen() ? jobs.stream().map(writing).toList() : List.of();
        synchronized (this) {
            if (!isOpen()) {
                return jobs.stream().map(ClaimedJob::claim).toList();
            }
            for (int i = 0; i < jobs.size(); i++) {
                var one = new Handed(jobs.get(i).claim(), System.nanoTime());
                handed.add(one);
                unsent++;
                try {
                    observer.onNext(responses.get(i));
                } catch (RuntimeException | Error e) {
                    // Jobs that were sent earlier stay with the client.
                    handed.remove(one);
                    unsent--;
                    fail(e);
                    return jobs.subList(i, jobs.size()).stream()
                            .map(ClaimedJob::claim)
                            .toList();
                }
            }
            if (handed.size() >= options.maxJobs() || (options.firstBatchOnly() && !handed.isEmpty())) {
                end();
            }
            return List.of();
        }
    }

    private void fail(Throwable failure) {
        LOG.warn("sending a dequeued job to its worker failed; returning the job and closing the stream", failure);
        open = false;
        try {
            observer.onError(Status.UNAVAILABLE
                    .withDescription("sending a job failed; poll again")
                    .asRuntimeException());
        } catch (RuntimeException | Error e) {
            LOG.debug("the stream was already closed", e);
        }
    }

    /** Ends the stream without an error. */
    synchronized void end() {
        if (isOpen()) {
            open = false;
            observer.onCompleted();
        }
    }

    private void end(Dequeues dequeues) {
        dequeues.leave(this);
        end();
    }

    private void gone(Dequeues dequeues) {
        synchronized (this) {
            open = false;
        }
        dequeues.leave(this);
    }

    private synchronized void sent() {
        if (observer.isReady()) {
            unsent = 0;
        }
    }

    /**
     * Returns the jobs that the client has probably not received. A client that only cancels the call, and is still
     * connected, keeps its jobs.
     */
    private synchronized List<Claim> undelivered(RequestLog log) {
        if (log.responseCause() == null) {
            return List.of();
        }
        Channel channel = log.channel();
        boolean cutOff = log.sessionProtocol().isMultiplex() && (channel == null || !channel.isActive());
        long now = System.nanoTime();
        var claims = new ArrayList<Claim>();
        for (int i = 0; i < handed.size(); i++) {
            Handed one = handed.get(i);
            if (i >= handed.size() - unsent || (cutOff && now - one.at() < JUST_SENT)) {
                claims.add(one.claim());
            }
        }
        return claims;
    }
}
