package dev.longhaul.enqueue;

import dev.longhaul.error.Problems;
import dev.longhaul.job.RunTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one call wants otherwise than its definition says; what is null stays as defined. Begin with {@link #options()}. */
public record JobOptions(
        @Nullable String name,
        @Nullable String queue,
        @Nullable Integer priority,
        @Nullable Instant runAt,
        @Nullable Duration delay,
        @Nullable String idempotencyKey,
        @Nullable Integer maxAttempts,
        @Nullable Duration timeout,
        Map<String, String> labels,
        @Nullable String correlationId,
        boolean hold,
        @Nullable String createdBy,
        @Nullable String traceparent) {
    private static final JobOptions NONE =
            new JobOptions(null, null, null, null, null, null, null, null, Map.of(), null, false, null, null);

    public JobOptions {
        labels = Map.copyOf(labels);
    }

    /** No wishes. */
    public static JobOptions options() {
        return NONE;
    }

    /** When the job is to run; fails when both a time and a delay were given. */
    RunTime runTime() {
        new Problems()
                .require(runAt == null || delay == null, "runAt", runAt, "either runAt or delay, not both")
                .throwIfAny();
        return runAt != null ? RunTime.at(runAt) : delay != null ? RunTime.after(delay) : RunTime.now();
    }

    /** A name for people. */
    public JobOptions name(@Nullable String name) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    public JobOptions queue(@Nullable String queue) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    /** -1000 to 1000, higher first. */
    public JobOptions priority(@Nullable Integer priority) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    public JobOptions runAt(@Nullable Instant runAt) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    /** How long from now, by the store's clock. */
    public JobOptions delay(@Nullable Duration delay) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    /** At most one job of the definition has it: asking again answers the first one. */
    public JobOptions idempotencyKey(@Nullable String idempotencyKey) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    public JobOptions maxAttempts(@Nullable Integer maxAttempts) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    /** How long each attempt may take. */
    public JobOptions timeout(@Nullable Duration timeout) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    public JobOptions labels(Map<String, String> labels) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    public JobOptions correlationId(@Nullable String correlationId) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    /** Keeps the job from running until it is released. */
    public JobOptions hold(boolean hold) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    /** Who asks. */
    public JobOptions createdBy(@Nullable String createdBy) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }

    public JobOptions traceparent(@Nullable String traceparent) {
        return new JobOptions(
                name,
                queue,
                priority,
                runAt,
                delay,
                idempotencyKey,
                maxAttempts,
                timeout,
                labels,
                correlationId,
                hold,
                createdBy,
                traceparent);
    }
}
