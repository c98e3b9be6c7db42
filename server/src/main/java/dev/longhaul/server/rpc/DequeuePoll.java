package dev.longhaul.server.rpc;

import com.linecorp.armeria.common.logging.RequestLog;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.server.http.Caller;
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

/** One client that waits for jobs. It holds no thread. */
final class DequeuePoll {
    /** Who is cut off so soon after a job was sent has probably not seen it. */
    private static final long JUST_SENT = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(DequeuePoll.class);

    private final Wish wish;
    private final ServerCallStreamObserver<DequeueJobResponse> answers;
    private final Function<ClaimedJob, DequeueJobResponse> writing;
    private final List<Handed> handed = new ArrayList<>();
    /** How many of the last ones may still be on their way. */
    private int unsent;

    private volatile boolean open = true;

    /**
     * What the client asked for.
     *
     * @param caller who it is
     * @param begin which runs count as begun when they are claimed
     */
    record Wish(
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
            Wish wish,
            ServerCallStreamObserver<DequeueJobResponse> answers,
            Function<ClaimedJob, DequeueJobResponse> writing) {
        this.wish = wish;
        this.answers = answers;
        this.writing = writing;
    }

    /** Lets {@code dequeues} find it jobs, until it has all it wants, the wait is over or the client has gone. */
    void start(ServiceRequestContext context, Dequeues dequeues, Duration wait) {
        answers.setOnReadyHandler(this::sent);
        answers.setOnCancelHandler(() -> gone(dequeues));
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
        return wish.queue();
    }

    @Nullable
    Set<DefinitionRef> definitions() {
        return wish.definitions();
    }

    ClaimRequest request(int max) {
        return ClaimRequest.of(wish.workerId(), List.of(wish.queue()), wish.definitions(), max, wish.visibility())
                .remote(wish.endMargin())
                .beginning(wish.begin());
    }

    /** Whether one claim may serve both: the same worker with the same key, who wants the same jobs for as long. */
    boolean sharesWith(DequeuePoll other) {
        return wish.caller().equals(other.wish.caller())
                && wish.workerId().equals(other.wish.workerId())
                && wish.visibility().equals(other.wish.visibility())
                && wish.endMargin().equals(other.wish.endMargin())
                && wish.begin() == other.wish.begin();
    }

    boolean isOpen() {
        return open && !answers.isCancelled();
    }

    /** How many jobs it still takes. */
    synchronized int room() {
        return isOpen() ? wish.maxJobs() - handed.size() : 0;
    }

    /** Sends jobs to the client; answers those that it is not there for. */
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
                    answers.onNext(responses.get(i));
                } catch (RuntimeException | Error e) {
                    // Those that were sent before stay with the client.
                    handed.remove(one);
                    unsent--;
                    fail(e);
                    return jobs.subList(i, jobs.size()).stream()
                            .map(ClaimedJob::claim)
                            .toList();
                }
            }
            if (handed.size() >= wish.maxJobs() || (wish.firstBatchOnly() && !handed.isEmpty())) {
                end();
            }
            return List.of();
        }
    }

    private void fail(Throwable failure) {
        LOG.warn("a job could not be sent to its worker; ending the stream", failure);
        open = false;
        try {
            answers.onError(Status.UNAVAILABLE
                    .withDescription("sending a job failed; poll again")
                    .asRuntimeException());
        } catch (RuntimeException | Error e) {
            LOG.debug("the stream had ended already", e);
        }
    }

    /** Ends the stream with what was sent so far. */
    synchronized void end() {
        if (isOpen()) {
            open = false;
            answers.onCompleted();
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
        if (answers.isReady()) {
            unsent = 0;
        }
    }

    /** Jobs that the client cannot have seen, or hardly. A client that is still there and only wants no more keeps its jobs. */
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
