package dev.longhaul.engine.task;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.Step;
import dev.longhaul.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run that a process elsewhere executes. Contains secrets.
 *
 * @param taskToken proves the claim to the server
 * @param steps those that earlier runs have finished
 */
public record TaskFile(Server server, String taskToken, int attempt, Spec spec, List<Step> steps) {
    /** Environment variable of that process: the path of the file. */
    public static final String VARIABLE = "LONGHAUL_TASK";

    /**
     * Environment variable of that process: the file to which it writes {@link #STORED} once the outcome of the run is
     * stored.
     */
    public static final String STORED_VARIABLE = "LONGHAUL_TASK_STORED";

    /** Environment variable of that process: the payload of the event that reports its start, a JSON object. */
    public static final String START_VARIABLE = "LONGHAUL_TASK_START";

    public static final String STORED = "longhaul: the outcome is stored";

    /**
     * The server to which that process reports.
     *
     * @param key an API key of the role worker; null if the server requires none
     */
    public record Server(String url, @Nullable String key) {
        /** Omits the key. */
        @Override
        public String toString() {
            return url;
        }
    }

    /** The job to run. */
    public record Spec(
            String jobId,
            int run,
            String definition,
            String params,
            String queue,
            int priority,
            int maxAttempts,
            Duration timeout,
            Instant createdAt,
            @Nullable String name,
            @Nullable String correlationId,
            @Nullable String traceparent,
            Map<String, String> labels) {
        public Spec {
            labels = Map.copyOf(labels);
        }
    }

    public TaskFile {
        steps = List.copyOf(steps);
    }

    public static TaskFile of(Server server, Claim claim, Job job, List<Step> steps, @Nullable String traceparent) {
        var given = job.spec();
        var spec = new Spec(
                claim.jobId().toString(),
                claim.run(),
                given.definition().toString(),
                given.params(),
                given.queue(),
                given.priority(),
                given.maxAttempts(),
                given.timeout(),
                job.times().createdAt(),
                given.name(),
                given.correlationId(),
                traceparent,
                given.labels());
        return new TaskFile(server, claim.token(), job.tally().attempts(), spec, steps);
    }

    public String json() {
        return Json.write(this);
    }

    public static TaskFile parse(String json) {
        TaskFile file = Json.read(json, TaskFile.class);
        if (file == null) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, "task: null (expected: the file of a run)");
        }
        return file;
    }

    /** Omits params and keys. */
    @Override
    public String toString() {
        return spec.jobId() + " run " + spec.run() + " of " + spec.definition();
    }
}
