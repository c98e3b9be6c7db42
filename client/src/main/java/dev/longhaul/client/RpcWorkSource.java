package dev.longhaul.client;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.Uninterruptibles;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Step;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import dev.longhaul.rpc.v1.UpdateJobResponse;
import dev.longhaul.spi.HookSource;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.spi.WorkerDirectory;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import io.grpc.Channel;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A work source on a server: claims, renewals, reports and outcomes are RPC calls, so the engine needs no database. */
class RpcWorkSource implements WorkSource, HookSource {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration AT_ONCE = Duration.ofNanos(1);

    private final JobServiceGrpc.JobServiceFutureStub jobs;
    private final Dequeuing dequeuing;
    private final RpcEventPublisher publisher;
    private final RpcDirectory directory;
    private final RpcHooks hooks;
    private final RpcBegins begins;
    private final Tasks tasks = new Tasks();

    /**
     * Creates a work source.
     *
     * @param endMargin how long after the deadline of a run the server waits for this worker to end it
     */
    RpcWorkSource(Channel channel, Duration endMargin) {
        var blocking = JobServiceGrpc.newBlockingStub(channel);
        this.dequeuing = new Dequeuing(channel, TIMEOUT, endMargin, tasks);
        this.jobs = JobServiceGrpc.newFutureStub(channel);
        this.publisher = new RpcEventPublisher(channel, TIMEOUT);
        this.directory = new RpcDirectory(blocking, TIMEOUT);
        this.hooks = new RpcHooks(blocking, TIMEOUT);
        this.begins = new RpcBegins(blocking, TIMEOUT, tasks);
    }

    // Running

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        return dequeuing.claim(request);
    }

    /** Adds a job that another process has claimed. */
    final ClaimedJob claimed(DequeueJobResponse task, ClaimRequest request) {
        return tasks.claimed(task, request);
    }

    @Override
    public List<Verdict> begin(List<Claim> claims) {
        return begins.begin(claims);
    }

    @Override
    public List<LeaseRenewal> extend(List<Claim> claims, Duration lease) {
        var responses = new ArrayList<ListenableFuture<UpdateJobResponse>>();
        for (Claim claim : claims) {
            responses.add(about(
                    claim,
                    task -> jobs().updateJob(UpdateJobRequest.newBuilder()
                            .setTaskToken(task.token())
                            .setQueue(task.job().spec().queue())
                            .setVisibilityTimeout(WireTime.of(lease))
                            .build())));
        }
        var held = new ArrayList<LeaseRenewal>();
        for (int i = 0; i < claims.size(); i++) {
            held.add(leaseAnswer(claims.get(i), responses.get(i)));
        }
        return held;
    }

    private LeaseRenewal leaseAnswer(Claim claim, ListenableFuture<UpdateJobResponse> response) {
        Verdict verdict = verdict(List.of(response));
        if (!verdict.won()) {
            tasks.lost(claim);
            return new LeaseRenewal(claim, false, null);
        }
        UpdateJobResponse update = Objects.requireNonNull(Futures.getUnchecked(response));
        CancelRequest cancel = update.getCancelRequested() ? cancel(update) : null;
        if (cancel != null) {
            tasks.cancelling(claim);
        }
        return new LeaseRenewal(claim, true, cancel);
    }

    private static CancelRequest cancel(UpdateJobResponse update) {
        Duration grace = update.hasCancelGrace() ? WireTime.duration("cancelGrace", update.getCancelGrace()) : null;
        return new CancelRequest(Instant.now(), update.getCancelReason(), grace);
    }

    @Override
    public List<Verdict> save(List<RunUpdate> updates) {
        RunUpdate.requireOnePerClaim(updates);
        var responses = new ArrayList<List<ListenableFuture<?>>>();
        for (RunUpdate update : updates) {
            var parts = new ArrayList<ListenableFuture<?>>();
            if (update.progress() != null || !update.steps().isEmpty()) {
                parts.add(about(update.claim(), task -> jobs().updateJob(Outgoing.update(task, update))));
            }
            if (!update.events().isEmpty()) {
                parts.add(about(update.claim(), task -> publisher.publish(task.token(), update.events())));
            }
            responses.add(parts);
        }
        return responses.stream().map(RpcWorkSource::verdict).toList();
    }

    /**
     * Reports all ends concurrently. If one verdict is unknown, the others are remembered, because the engine repeats
     * the whole batch.
     */
    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        var responses = transitions.stream().map(this::report).toList();
        var verdicts = new ArrayList<Verdict>();
        LonghaulException unknown = null;
        for (int i = 0; i < transitions.size(); i++) {
            try {
                Verdict verdict = responses.get(i).get();
                verdicts.add(verdict);
                tasks.reported(transitions.get(i), verdict);
            } catch (LonghaulException e) {
                unknown = e;
            }
        }
        if (unknown != null) {
            throw unknown;
        }
        for (int i = 0; i < transitions.size(); i++) {
            tasks.ended(transitions.get(i), verdicts.get(i));
        }
        return verdicts;
    }

    private Supplier<Verdict> report(Transition end) {
        Verdict known = tasks.verdict(end);
        if (known != null) {
            return () -> known;
        }
        ListenableFuture<?> response = about(end.claim(), task -> jobs().completeJob(Outgoing.end(task.token(), end)));
        return () -> verdict(List.of(response));
    }

    /**
     * Makes a call for a job of this worker. If the claim is unknown, its run has just ended: only this call fails, not
     * the calls for other jobs.
     */
    private <A extends @Nullable Object> ListenableFuture<A> about(
            Claim claim, Function<Tasks.Task, ListenableFuture<A>> call) {
        return tasks.find(claim)
                .map(call)
                .orElseGet(() -> Futures.immediateFailedFuture(Status.NOT_FOUND.asRuntimeException()));
    }

    private static Verdict verdict(List<ListenableFuture<?>> parts) {
        Verdict verdict = Verdict.WON;
        for (ListenableFuture<?> part : parts) {
            try {
                Uninterruptibles.getUninterruptibly(part);
            } catch (ExecutionException e) {
                verdict = verdict(e.getCause());
            }
        }
        return verdict;
    }

    /** Returns the verdict of a failed call; throws if the engine should retry the call. */
    private static Verdict verdict(@Nullable Throwable cause) {
        LonghaulException failure =
                RpcFailure.of(cause == null ? new IllegalStateException("failure without a cause") : cause);
        return switch (failure.code()) {
            case NOT_FOUND -> Verdict.LOST;
            case INVALID_ARGUMENT, FAILED_PRECONDITION, TOO_LARGE ->
                Verdict.refused(String.valueOf(failure.getMessage()));
            // Temporary: the engine retries UNAVAILABLE.
            case RESOURCE_EXHAUSTED ->
                throw new LonghaulException(ErrorCode.UNAVAILABLE, String.valueOf(failure.getMessage()), failure);
            default -> throw failure;
        };
    }

    private JobServiceGrpc.JobServiceFutureStub jobs() {
        return jobs.withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Returns nothing, because the protocol cannot re-read a claim. The server gives back jobs that it could not
     * deliver; if the server died, their leases expire.
     */
    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        return List.of();
    }

    @Override
    public List<Step> steps(JobId id) {
        return tasks.steps(id);
    }

    /** Returns the steps of a job whose last run ended on this worker. */
    @Override
    public Optional<Job> find(JobId id) {
        return tasks.endedJob(id);
    }

    /**
     * Returns zero, so that the next claim follows immediately. It waits at the server, which returns jobs on their
     * last life like other jobs.
     */
    @Override
    public Optional<Duration> untilNextDue(WorkFilter filter) {
        return filter.lastLife() ? Optional.empty() : Optional.of(AT_ONCE);
    }

    @Override
    public WorkerDirectory directory() {
        return directory;
    }

    @Override
    public HookSource hooks() {
        return this;
    }

    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return hooks.take(definitions, max, hold);
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {
        hooks.done(id, failures);
    }

    /** Registers no listener: claims wait at the server for jobs, and renewals return cancel requests. */
    @Override
    public Subscription listen(Consumer<Signal> listener) {
        return () -> {};
    }
}
