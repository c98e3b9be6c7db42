package dev.longhaul.job;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Changes to a waiting job; null keeps the current value.
 *
 * @param secrets the secret places of its params and result from now on ({@link JobSpec#secrets})
 */
public record JobEdit(
        @Nullable String name,
        @Nullable RunAt runTime,
        @Nullable Integer priority,
        @Nullable String params,
        @Nullable Map<String, String> labels,
        @Nullable Integer maxAttempts,
        @Nullable String secrets) {
    public static final JobEdit NOTHING = new JobEdit(null, null, null, null, null, null);

    public JobEdit(
            @Nullable String name,
            @Nullable RunAt runTime,
            @Nullable Integer priority,
            @Nullable String params,
            @Nullable Map<String, String> labels,
            @Nullable Integer maxAttempts) {
        this(name, runTime, priority, params, labels, maxAttempts, null);
    }

    public JobEdit withSecrets(@Nullable String places) {
        return new JobEdit(name, runTime, priority, params, labels, maxAttempts, places);
    }

    public static JobEdit runTime(RunAt runTime) {
        return new JobEdit(null, runTime, null, null, null, null);
    }

    /**
     * Returns the spec with these changes; throws if the result is not a valid spec. The store resolves the run time.
     */
    public JobSpec applyTo(JobSpec spec) {
        var builder = spec.toBuilder();
        if (name != null) {
            builder.name(name);
        }
        if (priority != null) {
            builder.priority(priority);
        }
        if (params != null) {
            builder.params(params);
        }
        if (labels != null) {
            builder.labels(labels);
        }
        if (maxAttempts != null) {
            builder.maxAttempts(maxAttempts);
        }
        if (secrets != null) {
            builder.secrets(secrets);
        }
        return builder.build();
    }
}
