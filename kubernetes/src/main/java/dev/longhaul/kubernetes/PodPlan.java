package dev.longhaul.kubernetes;

import dev.longhaul.engine.task.TaskFile;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.kubernetes.job.JobManifest;
import dev.longhaul.spi.Execution;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The input of a run's pod: params as environment variables, or the whole run as a file if the pod executes it itself.
 */
final class PodPlan {
    private static final String PARAMS = "LONGHAUL_PARAMS";
    /** Maximum bytes of params; Linux allows 128 KiB per variable. */
    private static final int LARGEST_PARAMS = 100 * 1024;
    /** Maximum bytes of a run's file; Kubernetes allows 1 MiB per Secret. */
    private static final int LARGEST_TASK = 900 * 1024;

    private final PodExecutor executor;
    private final Execution execution;
    private final PodCommand command;
    private final Claim claim;

    PodPlan(PodExecutor executor, Execution execution, PodCommand command) {
        this.executor = executor;
        this.execution = execution;
        this.command = command;
        this.claim = Objects.requireNonNull(execution.claim());
    }

    JobManifest manifest() {
        return new JobManifest(
                executor.settings().cluster(),
                claim,
                job(),
                executor.worker(),
                command.pod(),
                command.argv(),
                variables(),
                executor.settings().cancelGrace(),
                task());
    }

    private Job job() {
        return Objects.requireNonNull(execution.job());
    }

    /** Returns why the params cannot be passed to the pod; null if they can. */
    @Nullable
    String tooLarge() {
        String task = task();
        int bytes = Text.utf8Length(task == null ? execution.params() : task);
        int most = task == null ? LARGEST_PARAMS : LARGEST_TASK;
        if (bytes <= most) {
            return null;
        }
        return task == null
                ? "params: " + bytes + " bytes (expected: <= " + most + ", because they are a variable of the pod)"
                : "params and results of steps: " + bytes + " bytes (expected: <= " + most
                        + ", because they are a Secret of the pod; store large values elsewhere)";
    }

    private @Nullable String task() {
        HandlerPods handlers = executor.settings().handlers();
        return command.task() && handlers != null
                ? TaskFile.of(handlers.server(), claim, job(), execution.steps(), execution.traceparent())
                        .json()
                : null;
    }

    private Map<String, String> variables() {
        var variables = new TreeMap<>(command.pod().environment());
        if (!command.task()) {
            variables.put("LONGHAUL_JOB_ID", claim.jobId().toString());
            variables.put("LONGHAUL_RUN", Integer.toString(claim.run()));
            variables.put(
                    "LONGHAUL_ATTEMPT", Integer.toString(execution.context().attempt()));
            variables.put(PARAMS, execution.params());
            String traceparent = execution.traceparent();
            if (traceparent != null) {
                variables.put("TRACEPARENT", traceparent);
            }
        }
        variables.putAll(command.variables());
        return variables;
    }
}
