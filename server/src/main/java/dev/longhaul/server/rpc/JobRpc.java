package dev.longhaul.server.rpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.JobOptions;
import dev.longhaul.JobQuery;
import dev.longhaul.NewJob;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.rest.BuiltIn;
import dev.longhaul.catalog.Registration;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.client.WireTime;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.intake.Deferrals;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Step;
import dev.longhaul.json.JsonSchema;
import dev.longhaul.json.Secrets;
import dev.longhaul.rpc.v1.BeginJobsRequest;
import dev.longhaul.rpc.v1.BeginJobsResponse;
import dev.longhaul.rpc.v1.CancelJobRequest;
import dev.longhaul.rpc.v1.CancelJobResponse;
import dev.longhaul.rpc.v1.CompleteHooksRequest;
import dev.longhaul.rpc.v1.CompleteHooksResponse;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.CompleteJobResponse;
import dev.longhaul.rpc.v1.DequeueJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.EnqueueJobResponse;
import dev.longhaul.rpc.v1.GetJobRequest;
import dev.longhaul.rpc.v1.GetJobResponse;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.ListJobsRequest;
import dev.longhaul.rpc.v1.ListJobsResponse;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest;
import dev.longhaul.rpc.v1.RegisterDefinitionsResponse;
import dev.longhaul.rpc.v1.ReportWorkerRequest;
import dev.longhaul.rpc.v1.ReportWorkerResponse;
import dev.longhaul.rpc.v1.TakeHooksRequest;
import dev.longhaul.rpc.v1.TakeHooksResponse;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import dev.longhaul.rpc.v1.UpdateJobResponse;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobPage;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.Jobs;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@code JobService}: each method decodes the request, calls one use case, and encodes the response. All
 * methods run on threads that may block.
 */
final class JobRpc extends JobServiceGrpc.JobServiceImplBase {
    static final int MOST_JOBS = 100;
    static final Duration USUAL_WAIT = Duration.ofSeconds(5);
    static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    static final Duration USUAL_VISIBILITY = Duration.ofMinutes(5);
    static final Duration SHORTEST_VISIBILITY = Duration.ofSeconds(1);
    static final Duration LONGEST_VISIBILITY = Duration.ofHours(12);
    static final Duration LONGEST_HOLD = Duration.ofHours(1);
    /** Maximum number of ended jobs per call, so that the largest results fit into one message. */
    static final int MOST_HOOKS = 10;

    static final int MOST_FAILURES = 100;
    /** Minimum time between the end of a poll and the client's deadline, so that the response arrives in time. */
    private static final Duration MARGIN = Duration.ofMillis(250);
    /**
     * Margin in percent of the deadline, used if it is longer. It also covers the time of the request on the network.
     */
    private static final int MARGIN_PERCENT = 10;

    private final Store store;
    private final Jobs jobs;
    private final Tasks tasks;
    private final Dequeues dequeues;
    private final JobProto proto;
    private final Tracing tracing;

    JobRpc(Store store, Jobs jobs, Tasks tasks, Dequeues dequeues, Tracing tracing) {
        this.store = store;
        this.jobs = jobs;
        this.tasks = tasks;
        this.dequeues = dequeues;
        this.proto = new JobProto(jobs);
        this.tracing = tracing;
    }

    // Submit and cancel

    @Override
    public void enqueueJob(EnqueueJobRequest request, StreamObserver<EnqueueJobResponse> observer) {
        String field = given(request.getTraceparent());
        String trace = field == null
                ? ServiceRequestContext.current().request().headers().get("traceparent")
                : field;
        Inserted inserted = tracing.request("EnqueueJob", trace, own -> enqueued(request, own));
        Job job = inserted.job();
        respond(
                observer,
                EnqueueJobResponse.newBuilder()
                        .setJobId(job.id().toString())
                        .setState(JobProto.state(job.status()))
                        .setCreatedAt(WireTime.of(job.times().createdAt()))
                        .setDeferred(inserted.deferred())
                        .build());
    }

    private Inserted enqueued(EnqueueJobRequest request, @Nullable String trace) {
        var problems = new Problems();
        String requestId = problems.made(() -> requestId(request.getRequestId()));
        Instant runAt = request.hasRunAt() ? problems.made(() -> WireTime.instant("runAt", request.getRunAt())) : null;
        Duration delay =
                request.hasDelay() ? problems.made(() -> WireTime.duration("delay", request.getDelay())) : null;
        Duration timeout =
                request.hasTimeout() ? problems.made(() -> WireTime.duration("timeout", request.getTimeout())) : null;
        JobWebhook webhook = request.hasWebhook() ? problems.made(() -> JobProto.webhook(request.getWebhook())) : null;
        problems.throwIfAny();
        JobOptions options = JobOptions.options()
                .name(given(request.getName()))
                .queue(given(request.getQueue()))
                .priority(request.hasPriority() ? request.getPriority() : null)
                .runAt(runAt)
                .delay(delay)
                .maxAttempts(request.hasMaxAttempts() ? request.getMaxAttempts() : null)
                .timeout(timeout)
                .idempotencyKey(given(String.valueOf(requestId)))
                .correlationId(given(request.getCorrelationId()))
                .labels(request.getLabelsMap())
                .traceparent(trace)
                .hold(request.getHold())
                .webhook(webhook)
                .createdBy(RpcAccess.caller().name());
        String definition = request.getDefinition().isEmpty() ? BuiltIn.TASK.key() : request.getDefinition();
        int at = definition.lastIndexOf('@');
        Integer version = at < 0 ? null : DefinitionRef.parse(definition).version();
        String params = request.getParams().isEmpty() ? "{}" : request.getParams();
        String key = at < 0 ? definition : definition.substring(0, at);
        return jobs.submit(jobs.check(new NewJob(key, version, params, options)));
    }

    /** Normalizes a UUID, so that different spellings mean the same request. */
    private static String requestId(String text) {
        if (text.isEmpty()) {
            return "";
        }
        try {
            UUID id = UUID.fromString(text);
            if (id.toString().equalsIgnoreCase(text)) {
                return id.toString();
            }
        } catch (IllegalArgumentException e) {
            // The value is reported as invalid below.
        }
        throw Fields.bad("requestId", Problem.brief(text), "a UUID");
    }

    @Override
    public void cancelJob(CancelJobRequest request, StreamObserver<CancelJobResponse> observer) {
        Duration grace = request.hasGrace() ? WireTime.duration("grace", request.getGrace()) : null;
        Caller caller = RpcAccess.caller();
        CommandResult result = jobs.change(
                JobCommand.cancel(JobId.parse(request.getJobId()), caller.name(), given(request.getReason()), grace));
        var response = CancelJobResponse.newBuilder().setDeferred(result.deferred());
        if (!result.deferred()) {
            response.setJob(proto.of(result.job(), caller));
        }
        respond(observer, response.build());
    }

    // Read

    @Override
    public void getJob(GetJobRequest request, StreamObserver<GetJobResponse> observer) {
        JobId id = JobId.parse(request.getJobId());
        Job job = store.jobs().find(id).orElseThrow(() -> Deferrals.missing(store, id));
        respond(
                observer,
                GetJobResponse.newBuilder()
                        .setJob(proto.of(job, RpcAccess.caller()))
                        .build());
    }

    @Override
    public void listJobs(ListJobsRequest request, StreamObserver<ListJobsResponse> observer) {
        JobStatus[] statuses =
                request.getStatesList().stream().map(JobProto::status).toArray(JobStatus[]::new);
        JobPage page = store.jobs()
                .list(JobQuery.where()
                        .queue(given(request.getQueue()))
                        .statuses(statuses)
                        .brief(!request.getWithResults())
                        .limit(request.getPageSize() == 0 ? JobQuery.DEFAULT_LIMIT : request.getPageSize())
                        .order(request.getOldestFirst() ? JobQuery.Order.OLDEST : JobQuery.Order.NEWEST)
                        .cursor(request.getPageToken().isEmpty() ? null : pageToken(request.getPageToken()))
                        .build());
        respond(observer, proto.of(page, RpcAccess.caller()));
    }

    private static JobId pageToken(String text) {
        try {
            return JobId.parse(text);
        } catch (LonghaulException e) {
            throw Fields.bad("pageToken", Problem.brief(text), "the nextPageToken of the previous page");
        }
    }

    // Run jobs

    @Override
    public void dequeueJob(DequeueJobRequest request, StreamObserver<DequeueJobResponse> observer) {
        ServiceRequestContext context = ServiceRequestContext.current();
        var problems = new Problems();
        int maxJobs = request.getMaxJobs() == 0 ? 1 : request.getMaxJobs();
        problems.require(Names.valid(request.getQueue()), "queue", request.getQueue(), Names.RULE)
                .require(maxJobs >= 1 && maxJobs <= MOST_JOBS, "maxJobs", maxJobs, "1 to " + MOST_JOBS);
        Duration wait = problems.made(() -> request.hasWait()
                ? within("wait", WireTime.duration("wait", request.getWait()), Duration.ZERO, LONGEST_WAIT)
                : USUAL_WAIT);
        Duration visibility = problems.made(
                () -> request.hasVisibilityTimeout() ? visibility(request.getVisibilityTimeout()) : USUAL_VISIBILITY);
        Duration endMargin = problems.made(() -> DequeueFields.endMargin(request));
        Set<DefinitionRef> definitions = request.getDefinitionsList().isEmpty()
                ? null
                : problems.made(() -> DequeueFields.definitions(request, store.catalog()));
        problems.throwIfAny();
        Caller caller = RpcAccess.caller();
        caller.requireQueue(request.getQueue());
        String workerId = request.getWorkerId().isEmpty() ? caller.name() : request.getWorkerId();
        var options = new DequeuePoll.Options(
                caller,
                request.getQueue(),
                definitions,
                maxJobs,
                request.getFirstBatchOnly(),
                orUsual(visibility),
                endMargin == null ? DequeueFields.USUAL_END_MARGIN : endMargin,
                DequeueFields.begin(request),
                workerId);
        var poll = new DequeuePoll(options, (ServerCallStreamObserver<DequeueJobResponse>) observer, this::handed);
        poll.start(context, dequeues, beforeDeadline(context, wait == null ? USUAL_WAIT : wait));
    }

    private static Duration orUsual(@Nullable Duration visibility) {
        return visibility == null ? USUAL_VISIBILITY : visibility;
    }

    private DequeueJobResponse handed(ClaimedJob claimed) {
        tasks.handing(claimed);
        // The first run of a job has no stored steps.
        List<Step> steps = claimed.claim().run() == 1
                ? List.of()
                : store.work().steps(claimed.claim().jobId());
        return JobProto.handed(claimed, steps);
    }

    /** Returns the wait, shortened so that it ends before the client's deadline. */
    private static Duration beforeDeadline(ServiceRequestContext context, Duration wait) {
        long millis = context.requestTimeoutMillis();
        if (millis == 0) {
            return wait;
        }
        long elapsed = System.nanoTime() - context.log().partial().requestStartTimeNanos();
        long margin = Math.max(MARGIN.toMillis(), millis * MARGIN_PERCENT / 100);
        Duration left = Duration.ofMillis(millis - margin).minusNanos(elapsed);
        return left.isNegative() ? Duration.ZERO : left.compareTo(wait) < 0 ? left : wait;
    }

    private static Duration visibility(com.google.protobuf.Duration given) {
        return within(
                "visibilityTimeout",
                WireTime.duration("visibilityTimeout", given),
                SHORTEST_VISIBILITY,
                LONGEST_VISIBILITY);
    }

    static Duration within(String field, Duration value, Duration least, Duration most) {
        new Problems()
                .require(value.compareTo(least) >= 0 && value.compareTo(most) <= 0, field, value, least + " to " + most)
                .throwIfAny();
        return value;
    }

    @Override
    public void beginJobs(BeginJobsRequest request, StreamObserver<BeginJobsResponse> observer) {
        List<Boolean> begun = tasks.begin(RpcAccess.caller(), request.getTaskTokensList());
        respond(observer, BeginJobsResponse.newBuilder().addAllBegun(begun).build());
    }

    @Override
    public void updateJob(UpdateJobRequest request, StreamObserver<UpdateJobResponse> observer) {
        var problems = new Problems();
        Duration visibility =
                request.hasVisibilityTimeout() ? problems.made(() -> visibility(request.getVisibilityTimeout())) : null;
        Progress progress = request.hasProgress() ? problems.made(() -> progress(request, Secrets.NONE)) : null;
        List<Step> steps = problems.made(() -> request.getStepsList().stream()
                .map(step -> step(step.getName(), step.getResult()))
                .toList());
        problems.throwIfAny();
        RpcAccess.caller().requireQueue(request.getQueue());
        Claim claim = tasks.ofQueue(request.getTaskToken(), request.getQueue());
        Progress shown = progress == null ? null : progress(request, tasks.secrets(claim));
        Optional<CancelRequest> cancel =
                tasks.update(new RunUpdate(claim, shown, steps == null ? List.of() : steps, List.of()), visibility);
        var response = UpdateJobResponse.newBuilder().setCancelRequested(cancel.isPresent());
        cancel.ifPresent(requested -> {
            String reason = requested.reason();
            if (reason != null) {
                response.setCancelReason(reason);
            }
            Duration grace = requested.grace();
            if (grace != null) {
                response.setCancelGrace(WireTime.of(grace));
            }
        });
        respond(observer, response.build());
    }

    private static Progress progress(UpdateJobRequest request, Secrets secrets) {
        var progress = request.getProgress();
        return new Progress(progress.getPercent(), given(secrets.hide(progress.getMessage())));
    }

    private static Step step(String name, String result) {
        new Problems()
                .add(JsonSchema.ANYTHING.problems("steps." + name, result))
                .throwIfAny();
        return new Step(name, result);
    }

    @Override
    public void completeJob(CompleteJobRequest request, StreamObserver<CompleteJobResponse> observer) {
        Claim claim = tasks.ofJob(request.getTaskToken(), request.getJobId());
        tasks.requireQueue(RpcAccess.caller(), claim);
        tasks.complete(transition(claim, request));
        respond(observer, CompleteJobResponse.getDefaultInstance());
    }

    private Transition transition(Claim claim, CompleteJobRequest request) {
        return switch (request.getOutcomeCase()) {
            case SUCCEEDED -> {
                String result = request.getSucceeded().getResult();
                yield Transition.succeed(claim, result.isEmpty() ? "null" : result);
            }
            case FAILED -> failed(claim, request.getFailed());
            case SNOOZED -> snoozed(claim, request.getSnoozed());
            case RELEASED -> Transition.giveBack(claim);
            case CANCELLED -> Transition.cancelled(claim);
            case OUTCOME_NOT_SET ->
                throw Fields.bad("outcome", "none", "one of succeeded, failed, snoozed, released, cancelled");
        };
    }

    private Transition snoozed(Claim claim, CompleteJobRequest.Snoozed snoozed) {
        RunAt when = RunAt.after(WireTime.duration("delay", snoozed.getDelay()));
        String unreadable = snoozed.getParamsUnreadable();
        if (unreadable.isEmpty()) {
            return Transition.snooze(claim, when);
        }
        String message = tasks.secrets(claim).hide(unreadable);
        return Transition.leave(claim, when, Failure.of(Failure.PARAMS_UNREADABLE, message));
    }

    private Transition failed(Claim claim, CompleteJobRequest.Failed failed) {
        Secrets secrets = tasks.secrets(claim);
        // Secrets are hidden before texts are shortened, because a shortened secret would not be recognized.
        Failure failure = secrets.hide(new Failure(
                failed.getCode().isEmpty() ? Failure.EXCEPTION : failed.getCode(),
                secrets.hide(failed.getMessage()),
                given(secrets.hide(failed.getType())),
                given(secrets.hide(failed.getStack()))));
        if (failed.getCrashed()) {
            return Transition.crashed(claim, failure);
        }
        if (!failed.getRetryable()) {
            return Transition.fail(claim, failure);
        }
        return tasks.retry(
                claim,
                failure,
                failed.hasRetryAfter() ? WireTime.duration("retryAfter", failed.getRetryAfter()) : null);
    }

    @Override
    public void registerDefinitions(
            RegisterDefinitionsRequest request, StreamObserver<RegisterDefinitionsResponse> observer) {
        Caller caller = RpcAccess.caller();
        Set<String> revoked = store.access().keys().stream()
                .filter(key -> key.revokedAt() != null)
                .map(key -> key.id().toString())
                .collect(Collectors.toSet());
        List<Registration> registrations = request.getDefinitionsList().stream()
                .<Registration>map(one -> WorkerRegistration.of(one, caller, revoked))
                .toList();
        store.catalog().decide(registrations);
        // Hooks are never removed here, because another version or process may still have them.
        request.getDefinitionsList().stream()
                .filter(RegisterDefinitionsRequest.Definition::getHasHooks)
                .forEach(one -> store.catalog()
                        .hooks(DefinitionRef.parse(one.getDefinition()).key(), true));
        respond(observer, RegisterDefinitionsResponse.getDefaultInstance());
    }

    // Hooks and worker reports

    @Override
    public void takeHooks(TakeHooksRequest request, StreamObserver<TakeHooksResponse> observer) {
        RpcAccess.caller().requireEveryQueue("hooks, which run for jobs of all queues");
        int max = request.getMaxJobs() == 0 ? MOST_HOOKS : request.getMaxJobs();
        var problems = new Problems().require(max >= 1 && max <= MOST_HOOKS, "maxJobs", max, "1 to " + MOST_HOOKS);
        Duration hold = problems.made(() -> request.hasHold()
                ? within("hold", WireTime.duration("hold", request.getHold()), SHORTEST_VISIBILITY, LONGEST_HOLD)
                : USUAL_VISIBILITY);
        Set<DefinitionRef> definitions = problems.made(() ->
                request.getDefinitionsList().stream().map(DefinitionRef::parse).collect(Collectors.toSet()));
        problems.throwIfAny();
        var response = TakeHooksResponse.newBuilder();
        store.work()
                .hooks()
                .takeHooks(definitions == null ? Set.of() : definitions, max, orUsual(hold))
                .forEach(job -> response.addJobs(JobProto.ended(job)));
        respond(observer, response.build());
    }

    @Override
    public void completeHooks(CompleteHooksRequest request, StreamObserver<CompleteHooksResponse> observer) {
        JobId id = JobId.parse(request.getJobId());
        new Problems()
                .require(
                        request.getFailuresCount() <= MOST_FAILURES,
                        "failures",
                        request.getFailuresCount(),
                        "at most " + MOST_FAILURES)
                .throwIfAny();
        Job job = store.jobs().find(id).orElseThrow(() -> Refusal.notFound(id));
        RpcAccess.caller().requireQueue(job.spec().queue());
        Secrets secrets = jobs.secretsOf(job);
        store.work()
                .hooks()
                .hooksDone(
                        id,
                        request.getFailuresList().stream().map(secrets::hide).toList());
        respond(observer, CompleteHooksResponse.getDefaultInstance());
    }

    @Override
    public void reportWorker(ReportWorkerRequest request, StreamObserver<ReportWorkerResponse> observer) {
        if (request.getGone()) {
            store.catalog().gone(request.getWorkerId());
        } else {
            WorkerReport report = JobProto.report(request);
            report.queues().forEach(RpcAccess.caller()::requireQueue);
            store.catalog().seen(report);
        }
        respond(observer, ReportWorkerResponse.getDefaultInstance());
    }

    private static @Nullable String given(String text) {
        return text.isEmpty() ? null : text;
    }

    private static <A> void respond(StreamObserver<A> observer, A response) {
        observer.onNext(response);
        observer.onCompleted();
    }
}
