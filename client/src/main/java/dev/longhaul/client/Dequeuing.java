package dev.longhaul.client;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.rpc.v1.DequeueJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims jobs from a server with one DequeueJob call per queue. */
final class Dequeuing {
    private static final Logger LOG = LoggerFactory.getLogger(Dequeuing.class);
    /** How long a claim waits at the server for jobs; short, so that the engine can stop in time. */
    private static final Duration POLL = Duration.ofSeconds(1);

    private static final int MOST_JOBS = 100;
    /** How long a job is snoozed if this worker cannot parse its task. */
    private static final Duration UNREADABLE = Duration.ofSeconds(30);

    private final JobServiceGrpc.JobServiceBlockingStub blocking;
    private final JobServiceGrpc.JobServiceFutureStub jobs;
    private final Duration timeout;
    private final Duration endMargin;
    private final Tasks tasks;

    Dequeuing(Channel channel, Duration timeout, Duration endMargin, Tasks tasks) {
        this.blocking = JobServiceGrpc.newBlockingStub(channel);
        this.jobs = JobServiceGrpc.newFutureStub(channel);
        this.timeout = timeout;
        this.endMargin = endMargin;
        this.tasks = tasks;
    }

    /**
     * Claims jobs from one queue after the other. Starts with a random queue, so that a queue that always fails or
     * always has jobs does not starve the other queues. If a call fails, returns the jobs received before; the next
     * claim tries the failed queue again.
     */
    List<ClaimedJob> claim(ClaimRequest request) {
        if (request.lastLife()) {
            return List.of();
        }
        var queues = new ArrayList<>(request.queues());
        Collections.rotate(queues, ThreadLocalRandom.current().nextInt(queues.size()));
        Duration wait = POLL.dividedBy(queues.size());
        var claimed = new ArrayList<ClaimedJob>();
        for (String queue : queues) {
            int room = Math.min(MOST_JOBS, request.max() - claimed.size());
            if (room <= 0) {
                break;
            }
            try {
                dequeue(request, queue, room, claimed.isEmpty() ? wait : Duration.ZERO)
                        .forEachRemaining(task -> receive(task, request, claimed));
            } catch (StatusRuntimeException e) {
                if (claimed.isEmpty()) {
                    throw RpcFailure.of(e);
                }
                LOG.warn(
                        "dequeue from {} failed after {} jobs were received; running them, retrying with the next claim: {}",
                        queue,
                        claimed.size(),
                        e.getMessage());
                break;
            }
        }
        return claimed;
    }

    private Iterator<DequeueJobResponse> dequeue(ClaimRequest request, String queue, int room, Duration wait) {
        var dequeue = DequeueJobRequest.newBuilder()
                .setQueue(queue)
                .setMaxJobs(room)
                .setWait(WireTime.of(wait))
                .setVisibilityTimeout(WireTime.of(request.lease()))
                .setWorkerId(request.workerId())
                .setEndMargin(WireTime.of(endMargin))
                .setExplicitBegin(request.begin() != ClaimRequest.Begin.ALL)
                .setFirstBatchOnly(true);
        Set<DefinitionRef> definitions = request.definitions();
        if (definitions != null) {
            definitions.forEach(ref -> dequeue.addDefinitions(ref.toString()));
        }
        return blocking.withDeadlineAfter(timeout.plus(wait).toMillis(), TimeUnit.MILLISECONDS)
                .dequeueJob(dequeue.build());
    }

    /**
     * Adds the job of a task. A malformed task, for example from a newer server, must not affect other tasks of the
     * response.
     */
    private void receive(DequeueJobResponse task, ClaimRequest request, List<ClaimedJob> claimed) {
        try {
            claimed.add(tasks.claimed(task, request));
        } catch (RuntimeException e) {
            LOG.warn(
                    "job {}: cannot parse the task; snoozing the job for {} s",
                    task.getJobId(),
                    UNREADABLE.toSeconds(),
                    e);
            // The response is not awaited: if the call fails, the lease expires.
            var unused = jobs.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .completeJob(Outgoing.postponed(task, UNREADABLE));
        }
    }
}
