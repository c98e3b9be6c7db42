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

/** The work source of a process that executes one run for a worker. It is no worker itself, and claims nothing. */
final class OneTask extends RpcWorkSource {
    private volatile boolean terminated;

    OneTask(Channel channel) {
        super(channel, Duration.ZERO);
    }

    /** The run in the file, which the worker has claimed and begun. */
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

    /** From now on only a success is reported: the worker knows why the process is terminated, and ends the run. */
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
