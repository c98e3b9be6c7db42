package dev.longhaul.server.rpc;

import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.rest.JobJson;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.client.WireTime;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Step;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EndedJob;
import dev.longhaul.rpc.v1.JobState;
import dev.longhaul.rpc.v1.ListJobsResponse;
import dev.longhaul.rpc.v1.ReportWorkerRequest;
import dev.longhaul.spi.JobPage;
import dev.longhaul.usecase.Jobs;
import dev.longhaul.work.ClaimedJob;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts jobs to protobuf, with the fields that {@link JobJson} shows to the caller's role. */
final class JobProto {
    private static final String STATE = "JOB_STATE_";
    /** Maximum bytes of a page, because gRPC clients accept messages of 4 MiB by default. */
    private static final int MOST_BYTES = 2 * 1024 * 1024;

    private final Jobs jobs;

    JobProto(Jobs jobs) {
        this.jobs = jobs;
    }

    dev.longhaul.rpc.v1.Job of(Job job, Caller caller) {
        JobSpec spec = job.spec();
        var proto = dev.longhaul.rpc.v1.Job.newBuilder()
                .setJobId(job.id().toString())
                .setName(text(spec.name()))
                .setDefinition(spec.definition().toString())
                .setQueue(spec.queue())
                .setState(state(job.status()))
                .setPriority(spec.priority())
                .setProgress(dev.longhaul.rpc.v1.Progress.newBuilder()
                        .setPercent(job.progress().percent())
                        .setMessage(text(job.progress().message())))
                .setCreatedAt(WireTime.of(job.times().createdAt()))
                .setUpdatedAt(WireTime.of(job.times().updatedAt()))
                .setRunAt(WireTime.of(job.times().runAt()))
                .setCorrelationId(text(spec.correlationId()))
                .putAllLabels(spec.labels());
        String result = jobs.resultToShow(job);
        if (result != null) {
            proto.setResult(result);
        }
        Failure failure = job.failure();
        if (failure != null) {
            proto.setFailure(dev.longhaul.rpc.v1.Failure.newBuilder()
                    .setCode(failure.code())
                    .setMessage(failure.message()));
        }
        var startedAt = job.times().startedAt();
        if (startedAt != null) {
            proto.setStartedAt(WireTime.of(startedAt));
        }
        var finishedAt = job.times().finishedAt();
        if (finishedAt != null) {
            proto.setFinishedAt(WireTime.of(finishedAt));
        }
        if (JobJson.View.of(caller) != JobJson.View.PUBLIC) {
            operatorFields(proto, job);
        }
        return proto.build();
    }

    /** Returns the jobs of the page that fit into one message. The next page starts with the first omitted job. */
    ListJobsResponse of(JobPage page, Caller caller) {
        var response = ListJobsResponse.newBuilder();
        JobId next = page.nextCursor();
        JobId last = null;
        int bytes = 0;
        for (Job job : page.jobs()) {
            var one = of(job, caller);
            bytes += one.getSerializedSize();
            if (last != null && bytes > MOST_BYTES) {
                next = last;
                break;
            }
            response.addJobs(one);
            last = job.id();
        }
        return response.setLastPage(next == null)
                .setNextPageToken(next == null ? "" : next.toString())
                .build();
    }

    private static void operatorFields(dev.longhaul.rpc.v1.Job.Builder proto, Job job) {
        JobSpec spec = job.spec();
        proto.setAttempts(job.tally().attempts())
                .setMaxAttempts(spec.maxAttempts())
                .setTimeout(WireTime.of(spec.timeout()))
                .setCreatedBy(text(spec.createdBy()));
        Lease lease = job.lease();
        if (lease != null) {
            proto.setWorkerId(lease.workerId());
        }
        CancelRequest cancel = job.cancelRequest();
        if (cancel != null) {
            proto.setCancelRequestedAt(WireTime.of(cancel.at()));
        }
    }

    /** Converts a job for the worker that dequeued it, with secrets. */
    static DequeueJobResponse handed(ClaimedJob claimed, List<Step> steps) {
        Job job = claimed.job();
        JobSpec spec = job.spec();
        var proto = DequeueJobResponse.newBuilder()
                .setTaskToken(TaskToken.of(claimed.claim()))
                .setJobId(job.id().toString())
                .setRun(claimed.claim().run())
                .setAttempt(job.tally().attempts())
                .setMaxAttempts(spec.maxAttempts())
                .setDefinition(spec.definition().toString())
                .setQueue(spec.queue())
                .setPriority(spec.priority())
                .setName(text(spec.name()))
                .setParams(spec.params())
                .putAllLabels(spec.labels())
                .setCorrelationId(text(spec.correlationId()))
                .setTraceparent(text(spec.traceparent()))
                .setTimeout(WireTime.of(spec.timeout()))
                .setCreatedAt(WireTime.of(job.times().createdAt()))
                .setBeginFirst(claimed.begin() == ClaimedJob.Begin.FIRST);
        steps.forEach(step -> proto.addStepsBuilder().setName(step.name()).setResult(step.result()));
        Lease lease = job.lease();
        if (lease != null) {
            proto.setVisibilityDeadline(WireTime.of(lease.until()));
        }
        return proto.build();
    }

    /** Converts an ended job for the worker that runs its hooks, with secrets. */
    static EndedJob ended(Job job) {
        JobSpec spec = job.spec();
        var proto = EndedJob.newBuilder()
                .setJobId(job.id().toString())
                .setDefinition(spec.definition().toString())
                .setQueue(spec.queue())
                .setName(text(spec.name()))
                .setState(state(job.status()))
                .setRun(job.tally().run())
                .setAttempts(job.tally().attempts())
                .setCorrelationId(text(spec.correlationId()))
                .putAllLabels(spec.labels())
                .setCreatedAt(WireTime.of(job.times().createdAt()));
        given(job.result(), proto::setResult);
        given(
                job.failure(),
                failure -> proto.setFailure(dev.longhaul.rpc.v1.Failure.newBuilder()
                        .setCode(failure.code())
                        .setMessage(failure.message())));
        given(job.times().startedAt(), at -> proto.setStartedAt(WireTime.of(at)));
        given(job.times().finishedAt(), at -> proto.setFinishedAt(WireTime.of(at)));
        return proto.build();
    }

    private static <T> void given(@Nullable T value, Consumer<T> set) {
        if (value != null) {
            set.accept(value);
        }
    }

    /** Decodes a worker's report. */
    static WorkerReport report(ReportWorkerRequest request) {
        return new WorkerReport(
                request.getWorkerId(),
                request.getHost(),
                request.getPid(),
                request.getVersion(),
                request.getQueuesList(),
                request.getDefinitionsList().stream().map(DefinitionRef::parse).collect(Collectors.toSet()),
                request.getSlots(),
                request.getRunning(),
                request.getDraining());
    }

    static JobState state(JobStatus status) {
        return JobState.valueOf(STATE + status.name());
    }

    static JobStatus status(JobState state) {
        if (state == JobState.UNRECOGNIZED || state == JobState.JOB_STATE_UNSPECIFIED) {
            throw Fields.bad("states", state.name(), "a state such as JOB_STATE_QUEUED");
        }
        return JobStatus.valueOf(state.name().substring(STATE.length()));
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** Converts the webhook requested for a job. */
    static JobWebhook webhook(dev.longhaul.rpc.v1.JobWebhook given) {
        Set<WebhookEvent> events = given.getEventsList().stream()
                .map(text -> WebhookEvent.of(text)
                        .orElseThrow(
                                () -> Fields.bad("webhook.events", Problem.brief(text), "one such as job.started")))
                .collect(Collectors.toSet());
        String secret = given.getSecret().isEmpty() ? null : given.getSecret();
        return new JobWebhook(given.getUrl(), events.isEmpty() ? JobWebhook.USUAL_EVENTS : events, secret);
    }
}
