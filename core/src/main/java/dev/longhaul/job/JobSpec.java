package dev.longhaul.job;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.internal.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request to create a job. The builder checks names, numbers and sizes, so every spec is valid. The spec contains the
 * job's id, so that sending the same spec again cannot create a second job.
 *
 * @param params JSON text for the handler; kept as text, never parsed by a store
 * @param idempotencyKey unique per definition key, or per version: {@code keyOfVersion}
 * @param webhook the webhook of this job; stores do not return it
 * @param secrets the secret places of params and result, in the text form of {@link dev.longhaul.json.JobSecrets}; null
 * when there are none
 * @param hold keep the job {@link JobState#CREATED} until it is released
 * @param keyOfVersion whether the caller chose the version: then the idempotency key matches only a job of the same
 * version. Otherwise it matches the first job with that key, of any version, so that a retry after a deploy finds it.
 */
public record JobSpec(
        JobId id,
        DefinitionRef definition,
        String params,
        String queue,
        int priority,
        RunAt runTime,
        int maxAttempts,
        Duration timeout,
        @Nullable String name,
        @Nullable String idempotencyKey,
        @Nullable String correlationId,
        Map<String, String> labels,
        boolean hold,
        @Nullable String createdBy,
        @Nullable ScheduleFire schedule,
        @Nullable String traceparent,
        @Nullable JobWebhook webhook,
        @Nullable String secrets,
        boolean keyOfVersion) {

    public static final String DEFAULT_QUEUE = "default";
    public static final int DEFAULT_MAX_ATTEMPTS = 3;
    public static final Duration DEFAULT_TIMEOUT = Duration.ofHours(1);

    private static final String NO_PARAMS = "null";
    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);
    private static final String PRIORITIES = Limits.LOWEST_PRIORITY + " to " + Limits.HIGHEST_PRIORITY;
    private static final String ATTEMPTS = "1 to " + Limits.MOST_ATTEMPTS;
    private static final String TIMEOUTS = "whole seconds, 1 s to " + Limits.LONGEST_TIMEOUT.toDays() + " days";

    /**
     * For stores only: they read specs that were checked when they were built. Other callers start with {@link #of}.
     */
    public JobSpec {}

    /** Checks everything, and reports all problems at once. */
    private void check() {
        var problems = new Problems();
        problems.require(Names.valid(queue), "queue", queue, Names.RULE);
        problems.require(
                priority >= Limits.LOWEST_PRIORITY && priority <= Limits.HIGHEST_PRIORITY,
                "priority",
                priority,
                PRIORITIES);
        problems.require(maxAttempts >= 1 && maxAttempts <= Limits.MOST_ATTEMPTS, "maxAttempts", maxAttempts, ATTEMPTS);
        problems.require(
                timeout.compareTo(SHORTEST_TIMEOUT) >= 0
                        && timeout.compareTo(Limits.LONGEST_TIMEOUT) <= 0
                        && timeout.toNanosPart() == 0,
                "timeout",
                timeout,
                TIMEOUTS);
        problems.require(Text.storable(params), "params", "text with a NUL or half a surrogate pair", "storable text");
        shortText(problems, "name", name, Limits.NAME);
        shortText(problems, "idempotencyKey", idempotencyKey, Limits.KEY);
        shortText(problems, "correlationId", correlationId, Limits.KEY);
        shortText(problems, "createdBy", createdBy, Limits.KEY);
        shortText(problems, "traceparent", traceparent, Limits.KEY);
        checkLabels(problems, labels);
        problems.throwIfAny();
        checkSize(params);
    }

    /**
     * Returns this spec as a store returns it: with the resolved run time, without the parts that are needed only to
     * store it.
     */
    public JobSpec storedAt(Instant runAt) {
        return read(params, RunAt.at(runAt));
    }

    /** Returns this spec without its params, as brief lists of jobs contain it. */
    JobSpec withoutParams() {
        return read(NO_PARAMS, runTime);
    }

    private JobSpec read(String params, RunAt runTime) {
        return new JobSpec(
                id,
                definition,
                params,
                queue,
                priority,
                runTime,
                maxAttempts,
                timeout,
                name,
                null,
                correlationId,
                labels,
                false,
                createdBy,
                schedule,
                traceparent,
                null,
                secrets,
                false);
    }

    /** Starts a spec of {@code definition} with the given JSON params and all defaults. */
    public static Builder of(DefinitionRef definition, String params) {
        return new Builder(definition, params);
    }

    /** A builder with all values of this spec, to create a changed one. */
    public Builder toBuilder() {
        var builder = new Builder(definition, params)
                .id(id)
                .queue(queue)
                .priority(priority)
                .runTime(runTime)
                .maxAttempts(maxAttempts)
                .timeout(timeout)
                .name(name)
                .idempotencyKey(idempotencyKey);
        return builder.correlationId(correlationId)
                .labels(labels)
                .hold(hold)
                .createdBy(createdBy)
                .schedule(schedule)
                .traceparent(traceparent)
                .webhook(webhook)
                .secrets(secrets)
                .keyOfVersion(keyOfVersion);
    }

    /** Adds the problems of the labels of a job or a filter. */
    public static void checkLabels(Problems problems, Map<String, String> labels) {
        problems.require(labels.size() <= Limits.LABELS, "labels", labels.size(), "<= " + Limits.LABELS);
        labels.forEach((key, value) -> {
            problems.require(Names.valid(key), "labels", key, Names.RULE);
            shortText(problems, "labels." + key, value, Limits.LABEL_VALUE);
            boolean plain = value.chars().noneMatch(Character::isISOControl);
            problems.require(plain, "labels." + key, value, "no control characters");
        });
    }

    static void shortText(Problems problems, String field, @Nullable String value, int longest) {
        if (value != null) {
            boolean fits = value.length() <= longest && !value.isEmpty() && Text.storable(value);
            problems.require(fits, field, value, "1 to " + longest + " characters, no NUL");
        }
    }

    private static void checkSize(String params) {
        int bytes = Text.utf8Length(params);
        if (bytes > Limits.JSON_BYTES) {
            throw new LonghaulException(
                    ErrorCode.TOO_LARGE,
                    List.of(new FieldError("params", bytes + " bytes", "<= " + Limits.JSON_BYTES + " bytes")));
        }
    }

    /** Collects the settings of a {@link JobSpec}; {@link #build()} checks them all at once. */
    public static final class Builder {
        private final DefinitionRef definition;
        private String params;
        private JobId id = JobId.next();
        private String queue = DEFAULT_QUEUE;
        private int priority;
        private RunAt runTime = RunAt.now();
        private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private Duration timeout = DEFAULT_TIMEOUT;
        private @Nullable String name;
        private @Nullable String idempotencyKey;
        private @Nullable String correlationId;
        private Map<String, String> labels = Map.of();
        private boolean hold;
        private @Nullable String createdBy;
        private @Nullable ScheduleFire schedule;
        private @Nullable String traceparent;
        private @Nullable JobWebhook webhook;
        private @Nullable String secrets;
        private boolean keyOfVersion;

        private Builder(DefinitionRef definition, String params) {
            this.definition = definition;
            this.params = params;
        }

        public Builder id(JobId id) {
            this.id = id;
            return this;
        }

        public Builder params(String params) {
            this.params = params;
            return this;
        }

        public Builder queue(String queue) {
            this.queue = queue;
            return this;
        }

        public Builder priority(int priority) {
            this.priority = priority;
            return this;
        }

        public Builder runTime(RunAt runTime) {
            this.runTime = runTime;
            return this;
        }

        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
            return this;
        }

        public Builder timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        public Builder name(@Nullable String name) {
            this.name = name;
            return this;
        }

        public Builder idempotencyKey(@Nullable String idempotencyKey) {
            this.idempotencyKey = idempotencyKey;
            return this;
        }

        public Builder correlationId(@Nullable String correlationId) {
            this.correlationId = correlationId;
            return this;
        }

        public Builder labels(Map<String, String> labels) {
            this.labels = labels;
            return this;
        }

        public Builder hold(boolean hold) {
            this.hold = hold;
            return this;
        }

        public Builder createdBy(@Nullable String createdBy) {
            this.createdBy = createdBy;
            return this;
        }

        public Builder schedule(@Nullable ScheduleFire schedule) {
            this.schedule = schedule;
            return this;
        }

        public Builder traceparent(@Nullable String traceparent) {
            this.traceparent = traceparent;
            return this;
        }

        public Builder webhook(@Nullable JobWebhook webhook) {
            this.webhook = webhook;
            return this;
        }

        public Builder secrets(@Nullable String secrets) {
            this.secrets = secrets;
            return this;
        }

        public Builder keyOfVersion(boolean keyOfVersion) {
            this.keyOfVersion = keyOfVersion;
            return this;
        }

        public JobSpec build() {
            var spec = new JobSpec(
                    id,
                    definition,
                    params,
                    queue,
                    priority,
                    runTime,
                    maxAttempts,
                    timeout,
                    name,
                    idempotencyKey,
                    correlationId,
                    labels.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(labels)),
                    hold,
                    createdBy,
                    schedule,
                    traceparent,
                    webhook,
                    secrets,
                    keyOfVersion);
            spec.check();
            return spec;
        }
    }
}
