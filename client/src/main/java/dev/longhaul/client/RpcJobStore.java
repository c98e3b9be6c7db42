package dev.longhaul.client;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.Uninterruptibles;
import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Run;
import dev.longhaul.job.Step;
import dev.longhaul.job.Transition;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.queue.Standing;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import dev.longhaul.rpc.v1.UpdateJobResponse;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.store.ClaimRequest;
import dev.longhaul.store.ClaimedJob;
import dev.longhaul.store.Expired;
import dev.longhaul.store.Inserted;
import dev.longhaul.store.JobCounts;
import dev.longhaul.store.JobPage;
import dev.longhaul.store.JobQuery;
import dev.longhaul.store.JobStore;
import dev.longhaul.store.Leadership;
import dev.longhaul.store.LeaseAnswer;
import dev.longhaul.store.Overdue;
import dev.longhaul.store.Retained;
import dev.longhaul.store.RunUpdate;
import dev.longhaul.store.ScheduleStore;
import dev.longhaul.store.Signal;
import dev.longhaul.store.Subscription;
import dev.longhaul.store.Verdict;
import dev.longhaul.webhook.WebhookStore;
import io.grpc.Channel;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server as a worker's store: claims, leases, reports and outcomes go over RPC, so that the ordinary engine runs jobs without a
 * database. Everything that is not a worker's business is refused; {@link LonghaulClient} is for that.
 */
final class RpcJobStore implements JobStore {
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final Duration AT_ONCE = Duration.ofNanos(1);

    private final JobServiceGrpc.JobServiceFutureStub jobs;
    private final Dequeuing dequeuing;
    private final RpcEventPublisher publisher;
    private final RpcCatalog catalog;
    private final RpcHooks hooks;
    private final Tasks tasks = new Tasks();

    /** @param endMargin how long after the deadline of a run the server ends it, should this worker not have done that */
    RpcJobStore(Channel channel, Duration endMargin) {
        var blocking = JobServiceGrpc.newBlockingStub(channel);
        this.dequeuing = new Dequeuing(channel, ANSWER, endMargin, tasks);
        this.jobs = JobServiceGrpc.newFutureStub(channel);
        this.publisher = new RpcEventPublisher(channel, ANSWER);
        this.catalog = new RpcCatalog(blocking, ANSWER);
        this.hooks = new RpcHooks(blocking, ANSWER);
    }

    // Running

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        return dequeuing.claim(request);
    }

    /** The server counts a task as begun once it has handed it out. */
    @Override
    public List<Verdict> begin(List<Claim> claims) {
        return Collections.nCopies(claims.size(), Verdict.WON);
    }

    @Override
    public List<LeaseAnswer> extend(List<Claim> claims, Duration lease) {
        var answers = new ArrayList<ListenableFuture<UpdateJobResponse>>();
        for (Claim claim : claims) {
            answers.add(about(
                    claim,
                    task -> jobs().updateJob(UpdateJobRequest.newBuilder()
                            .setTaskToken(task.token())
                            .setQueue(task.job().spec().queue())
                            .setVisibilityTimeout(WireTime.of(lease))
                            .build())));
        }
        var held = new ArrayList<LeaseAnswer>();
        for (int i = 0; i < claims.size(); i++) {
            held.add(leaseAnswer(claims.get(i), answers.get(i)));
        }
        return held;
    }

    private LeaseAnswer leaseAnswer(Claim claim, ListenableFuture<UpdateJobResponse> answer) {
        Verdict verdict = verdict(List.of(answer));
        if (!verdict.won()) {
            tasks.lost(claim);
            return new LeaseAnswer(claim, false, null);
        }
        UpdateJobResponse update = Objects.requireNonNull(Futures.getUnchecked(answer));
        CancelRequest cancel = update.getCancelRequested() ? cancel(update) : null;
        if (cancel != null) {
            tasks.cancelling(claim);
        }
        return new LeaseAnswer(claim, true, cancel);
    }

    private static CancelRequest cancel(UpdateJobResponse update) {
        Duration grace = update.hasCancelGrace() ? WireTime.duration("cancelGrace", update.getCancelGrace()) : null;
        return new CancelRequest(Instant.now(), update.getCancelReason(), grace);
    }

    @Override
    public List<Verdict> save(List<RunUpdate> updates) {
        RunUpdate.requireOnePerClaim(updates);
        var answers = new ArrayList<List<ListenableFuture<?>>>();
        for (RunUpdate update : updates) {
            var parts = new ArrayList<ListenableFuture<?>>();
            if (update.progress() != null || !update.steps().isEmpty()) {
                parts.add(about(update.claim(), task -> jobs().updateJob(Outgoing.update(task, update))));
            }
            if (!update.events().isEmpty()) {
                parts.add(about(update.claim(), task -> publisher.publish(task.token(), update.events())));
            }
            answers.add(parts);
        }
        return answers.stream().map(RpcJobStore::verdict).toList();
    }

    /**
     * Reports all ends at once. While the verdict of one is unknown, the verdicts of the others are remembered: the engine repeats
     * the whole batch then.
     */
    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        var answers = transitions.stream().map(this::report).toList();
        var verdicts = new ArrayList<Verdict>();
        LonghaulException unknown = null;
        for (int i = 0; i < transitions.size(); i++) {
            try {
                Verdict verdict = answers.get(i).get();
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
        ListenableFuture<?> answer = about(end.claim(), task -> jobs().completeJob(Outgoing.end(task.token(), end)));
        return () -> verdict(List.of(answer));
    }

    /** Calls about a job that this worker has. One that it has not has just ended: that is no reason to fail all others. */
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

    /** What a failed call means to the engine; throws what it should try again. */
    private static Verdict verdict(@Nullable Throwable cause) {
        LonghaulException failure = RpcFailure.of(cause == null ? new IllegalStateException("no cause") : cause);
        return switch (failure.code()) {
            case NOT_FOUND -> Verdict.LOST;
            case INVALID_ARGUMENT, FAILED_PRECONDITION, TOO_LARGE ->
                Verdict.refused(String.valueOf(failure.getMessage()));
            // Too much at once: later there is room.
            case RESOURCE_EXHAUSTED ->
                throw new LonghaulException(ErrorCode.UNAVAILABLE, String.valueOf(failure.getMessage()), failure);
            default -> throw failure;
        };
    }

    private JobServiceGrpc.JobServiceFutureStub jobs() {
        return jobs.withDeadlineAfter(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Empty: the protocol cannot read a claim again. The server gives back the jobs that it could not hand over; when the server
     * itself died, their leases expire.
     */
    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        return List.of();
    }

    @Override
    public List<Step> steps(JobId id) {
        return tasks.steps(id);
    }

    /** A job that has ended here. */
    @Override
    public Optional<Job> find(JobId id) {
        return tasks.endedJob(id);
    }

    /** At once: the server knows, and the next claim waits there. */
    @Override
    public Optional<Duration> untilNextDue(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return Optional.of(AT_ONCE);
    }

    /** The server hands these out like all others. */
    @Override
    public boolean lastLifeDue(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return false;
    }

    // What the server sees to when definitions are registered

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public void concurrencyLimit(String definitionKey, int limit) {}

    @Override
    public void hooks(String definitionKey, boolean any) {
        if (any) {
            catalog.hooked(definitionKey);
        }
    }

    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return hooks.take(definitions, max, hold);
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {
        hooks.done(id, failures);
    }

    /** Nothing is told: claims wait at the server, and cancels come with the next renewal. */
    @Override
    public Subscription listen(Consumer<Signal> listener) {
        return () -> {};
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public void close() {}

    // Not a worker's business

    private static LonghaulException notHere() {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION, "a remote worker only runs jobs; LonghaulClient asks for them");
    }

    @Override
    public List<Inserted> insert(List<JobSpec> specs) {
        throw notHere();
    }

    @Override
    public ScheduleStore schedules() {
        throw notHere();
    }

    @Override
    public StatsStore stats() {
        throw notHere();
    }

    @Override
    public WebhookStore webhooks() {
        throw notHere();
    }

    @Override
    public JobCounts count(JobQuery query) {
        throw notHere();
    }

    @Override
    public Optional<Standing> standing(JobId id) {
        throw notHere();
    }

    @Override
    public Job hold(JobId id, @Nullable String by) {
        throw notHere();
    }

    @Override
    public Job release(JobId id, @Nullable String by) {
        throw notHere();
    }

    @Override
    public Job edit(JobId id, JobEdit edit, @Nullable String by) {
        throw notHere();
    }

    @Override
    public Job runNow(JobId id, @Nullable String by) {
        throw notHere();
    }

    @Override
    public Job cancel(JobId id, @Nullable String by, @Nullable String reason, @Nullable Duration grace) {
        throw notHere();
    }

    @Override
    public Job retry(JobId id, @Nullable String by) {
        throw notHere();
    }

    @Override
    public Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey) {
        throw notHere();
    }

    @Override
    public JobPage list(JobQuery query) {
        throw notHere();
    }

    @Override
    public List<Run> runs(JobId id, int after, int limit) {
        throw notHere();
    }

    @Override
    public List<JobEvent> events(EventQuery query) {
        throw notHere();
    }

    @Override
    public List<QueueStats> queues() {
        throw notHere();
    }

    @Override
    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        throw notHere();
    }

    @Override
    public ClaimedJob claimOne(JobId id, UUID key, String workerId, Duration lease) {
        throw notHere();
    }

    @Override
    public OptionalInt lastSequence(Claim claim) {
        throw notHere();
    }

    @Override
    public void pause(String queue, @Nullable String by, @Nullable String note) {
        throw notHere();
    }

    @Override
    public void resume(String queue) {
        throw notHere();
    }

    @Override
    public void maxDepth(String queue, @Nullable Integer maxDepth) {
        throw notHere();
    }

    @Override
    public Optional<Leadership> lead(String holder, Duration term, Duration lease) {
        throw notHere();
    }

    @Override
    public void resign(Leadership leadership) {
        throw notHere();
    }

    @Override
    public List<Expired> expireLeases(Leadership leadership, int max) {
        throw notHere();
    }

    @Override
    public List<Overdue> endOverdue(Leadership leadership, int max) {
        throw notHere();
    }

    @Override
    public Retained retain(Leadership leadership, Duration keep) {
        throw notHere();
    }

    @Override
    public AccessStore access() {
        throw notHere();
    }
}
