package dev.longhaul.client;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Times;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Tally;
import dev.longhaul.rpc.v1.CompleteHooksRequest;
import dev.longhaul.rpc.v1.EndedJob;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.TakeHooksRequest;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes ended jobs from the server, to run their hooks on this worker. */
final class RpcHooks {
    private static final String STATE = "JOB_STATE_";
    private static final int MOST = 10;
    private static final int MOST_FAILURES = 100;

    private final JobServiceGrpc.JobServiceBlockingStub jobs;
    private final Duration timeout;

    RpcHooks(JobServiceGrpc.JobServiceBlockingStub jobs, Duration timeout) {
        this.jobs = jobs;
        this.timeout = timeout;
    }

    /**
     * Returns jobs that ended without a worker. Empty for an API key that is bound to queues, because these jobs may be
     * of any queue.
     */
    List<Job> take(Set<DefinitionRef> definitions, int max, Duration hold) {
        var request =
                TakeHooksRequest.newBuilder().setMaxJobs(Math.min(max, MOST)).setHold(WireTime.of(hold));
        definitions.forEach(ref -> request.addDefinitions(ref.toString()));
        try {
            return jobs().takeHooks(request.build()).getJobsList().stream()
                    .map(RpcHooks::job)
                    .toList();
        } catch (StatusRuntimeException e) {
            LonghaulException failure = RpcFailure.of(e);
            if (failure.code() == ErrorCode.PERMISSION_DENIED) {
                return List.of();
            }
            throw failure;
        }
    }

    void done(JobId id, List<String> failures) {
        var request = CompleteHooksRequest.newBuilder()
                .setJobId(id.toString())
                .addAllFailures(failures.subList(0, Math.min(failures.size(), MOST_FAILURES)));
        try {
            var unused = jobs().completeHooks(request.build());
        } catch (StatusRuntimeException e) {
            throw RpcFailure.of(e);
        }
    }

    private JobServiceGrpc.JobServiceBlockingStub jobs() {
        return jobs.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Job job(EndedJob ended) {
        Instant createdAt = WireTime.instant("createdAt", ended.getCreatedAt());
        Instant finishedAt = WireTime.instant("finishedAt", ended.getFinishedAt());
        JobSpec spec = JobSpec.of(DefinitionRef.parse(ended.getDefinition()), "{}")
                .id(JobId.parse(ended.getJobId()))
                .queue(ended.getQueue())
                .runTime(RunAt.now())
                .name(given(ended.getName()))
                .correlationId(given(ended.getCorrelationId()))
                .labels(ended.getLabelsMap())
                .build();
        return new Job(
                spec.storedAt(createdAt),
                JobStatus.valueOf(ended.getState().name().substring(STATE.length())),
                new Times(
                        createdAt,
                        finishedAt,
                        createdAt,
                        ended.hasStartedAt() ? WireTime.instant("startedAt", ended.getStartedAt()) : null,
                        finishedAt),
                new Tally(ended.getRun(), ended.getAttempts(), 0),
                Progress.NONE,
                null,
                null,
                ended.hasFailure()
                        ? Failure.of(
                                ended.getFailure().getCode(), ended.getFailure().getMessage())
                        : null,
                ended.hasResult() ? ended.getResult() : null);
    }

    private static @Nullable String given(String text) {
        return text.isEmpty() ? null : text;
    }
}
