package dev.longhaul.client;

import dev.longhaul.engine.task.TaskFile;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.spi.WorkerDirectory;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import io.grpc.Channel;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The work source of a process that executes one run on behalf of a worker. It does not claim jobs and is not a worker
 * itself.
 */
final class OneTask extends RpcWorkSource {
    private volatile boolean terminated;

    OneTask(Channel channel) {
        super(channel, Duration.ZERO);
    }

    /** Returns the run in the file, which the worker has claimed and begun. */
    ClaimedJob claimed(TaskFile file, ClaimRequest request) {
        TaskFile.Spec spec = file.spec();
        var task = DequeueJobResponse.newBuilder()
                .setTaskToken(file.taskToken())
                .setJobId(spec.jobId())
                .setRun(spec.run())
                .setAttempt(file.attempt())
                .setMaxAttempts(spec.maxAttempts())
                .setDefinition(spec.definition())
                .setQueue(spec.queue())
                .setPriority(spec.priority())
                .setName(text(spec.name()))
                .setParams(spec.params())
                .putAllLabels(spec.labels())
                .setCorrelationId(text(spec.correlationId()))
                .setTraceparent(text(spec.traceparent()))
                .setTimeout(WireTime.of(spec.timeout()))
                .setCreatedAt(WireTime.of(spec.createdAt()));
        file.steps().forEach(step -> task.addStepsBuilder().setName(step.name()).setResult(step.result()));
        return claimed(task.build(), request);
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    /**
     * Call when the process is terminated. From then on it reports only a success: the worker knows the reason for the
     * termination and ends the run.
     */
    void terminated() {
        terminated = true;
    }

    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        boolean kept = terminated && transitions.stream().noneMatch(Transition.Succeed.class::isInstance);
        return kept ? transitions.stream().map(transition -> Verdict.LOST).toList() : super.apply(transitions);
    }

    @Override
    public WorkerDirectory directory() {
        return WorkerDirectory.NONE;
    }
}
