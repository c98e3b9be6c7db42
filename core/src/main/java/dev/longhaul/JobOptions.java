package dev.longhaul;

import dev.longhaul.error.Problems;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.RunAt;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Per-job overrides of the definition's defaults; null keeps the default. Begin with {@link #options()}. Each setter
 * returns a new object, so that one may be kept and shared.
 */
public final class JobOptions {
    private static final JobOptions NONE = new JobOptions();

    private @Nullable String name;
    private @Nullable String queue;
    private @Nullable Integer priority;
    private @Nullable Instant runAt;
    private @Nullable Duration delay;
    private @Nullable String idempotencyKey;
    private @Nullable Integer maxAttempts;
    private @Nullable Duration timeout;
    private Map<String, String> labels = Map.of();
    private @Nullable String correlationId;
    private boolean hold;
    private @Nullable String createdBy;
    private @Nullable String traceparent;
    private @Nullable JobWebhook webhook;

    private JobOptions() {}

    private JobOptions(JobOptions other) {
        name = other.name;
        queue = other.queue;
        priority = other.priority;
        runAt = other.runAt;
        delay = other.delay;
        idempotencyKey = other.idempotencyKey;
        maxAttempts = other.maxAttempts;
        timeout = other.timeout;
        labels = other.labels;
        correlationId = other.correlationId;
        hold = other.hold;
        createdBy = other.createdBy;
        traceparent = other.traceparent;
        webhook = other.webhook;
    }

    /** Options without overrides. */
    public static JobOptions options() {
        return NONE;
    }

    private JobOptions with(Consumer<JobOptions> change) {
        var copy = new JobOptions(this);
        change.accept(copy);
        return copy;
    }

    /** Returns when the job runs; throws if both a time and a delay were given. */
    public RunAt runTime() {
        new Problems()
                .require(runAt == null || delay == null, "runAt", runAt, "either runAt or delay, not both")
                .throwIfAny();
        return runAt != null ? RunAt.at(runAt) : delay != null ? RunAt.after(delay) : RunAt.now();
    }

    /** Sets a display name. */
    public JobOptions name(@Nullable String name) {
        return with(copy -> copy.name = name);
    }

    public JobOptions queue(@Nullable String queue) {
        return with(copy -> copy.queue = queue);
    }

    /** Sets the priority, -1000 to 1000; jobs with a higher priority run first. */
    public JobOptions priority(@Nullable Integer priority) {
        return with(copy -> copy.priority = priority);
    }

    public JobOptions runAt(@Nullable Instant runAt) {
        return with(copy -> copy.runAt = runAt);
    }

    /** Sets the delay before the job may run, by the store's clock. */
    public JobOptions delay(@Nullable Duration delay) {
        return with(copy -> copy.delay = delay);
    }

    /**
     * Sets a key that is unique among the jobs of the definition: enqueueing again with the same key returns the first
     * job.
     */
    public JobOptions idempotencyKey(@Nullable String idempotencyKey) {
        return with(copy -> copy.idempotencyKey = idempotencyKey);
    }

    public JobOptions maxAttempts(@Nullable Integer maxAttempts) {
        return with(copy -> copy.maxAttempts = maxAttempts);
    }

    /** Sets the timeout of each attempt. */
    public JobOptions timeout(@Nullable Duration timeout) {
        return with(copy -> copy.timeout = timeout);
    }

    public JobOptions labels(Map<String, String> labels) {
        return with(copy -> copy.labels = Map.copyOf(labels));
    }

    public JobOptions correlationId(@Nullable String correlationId) {
        return with(copy -> copy.correlationId = correlationId);
    }

    /** Keeps the job from running until it is released. */
    public JobOptions hold(boolean hold) {
        return with(copy -> copy.hold = hold);
    }

    /** The name of the caller, for display. */
    public JobOptions createdBy(@Nullable String createdBy) {
        return with(copy -> copy.createdBy = createdBy);
    }

    public JobOptions traceparent(@Nullable String traceparent) {
        return with(copy -> copy.traceparent = traceparent);
    }

    /** Sets a webhook that receives the events of this job over HTTP. */
    public JobOptions webhook(@Nullable JobWebhook webhook) {
        return with(copy -> copy.webhook = webhook);
    }

    public @Nullable String name() {
        return name;
    }

    public @Nullable String queue() {
        return queue;
    }

    public @Nullable Integer priority() {
        return priority;
    }

    public @Nullable Instant runAt() {
        return runAt;
    }

    public @Nullable Duration delay() {
        return delay;
    }

    public @Nullable String idempotencyKey() {
        return idempotencyKey;
    }

    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    public @Nullable Duration timeout() {
        return timeout;
    }

    public Map<String, String> labels() {
        return labels;
    }

    public @Nullable String correlationId() {
        return correlationId;
    }

    public boolean hold() {
        return hold;
    }

    public @Nullable String createdBy() {
        return createdBy;
    }

    public @Nullable String traceparent() {
        return traceparent;
    }

    public @Nullable JobWebhook webhook() {
        return webhook;
    }
}
