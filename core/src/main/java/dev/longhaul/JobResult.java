package dev.longhaul;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.json.Codec;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a job, with its result once it has succeeded.
 *
 * @param id null for a job that was not stored
 * @param status {@link JobStatus#CREATED} for a job of a batch that was never started because another one failed
 * @param data the handler's return value; only once the job has succeeded
 */
public record JobResult<R>(
        @Nullable JobId id,
        DefinitionRef definition,
        @Nullable String name,
        JobStatus status,
        @Nullable R data,
        @Nullable Failure error,
        int attempts,
        @Nullable Instant enqueuedAt,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable String correlationId) {

    public boolean succeeded() {
        return status == JobStatus.SUCCEEDED;
    }

    /** Returns the handler's return value; throws {@link JobFailedException} unless the job has succeeded. */
    public @Nullable R orThrow() {
        if (!succeeded()) {
            throw new JobFailedException(this);
        }
        return data;
    }

    /** A one-line summary for people. */
    public String summary() {
        String what = definition + (id == null ? "" : " " + id) + " is " + status.wireName();
        return error == null ? what : what + ": " + error.code() + ": " + error.message();
    }

    /** Whether the job has run at least once. */
    public boolean started() {
        return startedAt != null;
    }

    /** The result of {@code job}, with its data read by {@code codec}. */
    public static <R> JobResult<R> of(Job job, Codec<R> codec) {
        String result = job.result();
        return new JobResult<>(
                job.id(),
                job.spec().definition(),
                job.spec().name(),
                job.status(),
                result == null ? null : codec.read(result),
                job.failure(),
                job.tally().attempts(),
                job.times().createdAt(),
                job.times().startedAt(),
                job.times().finishedAt(),
                job.spec().correlationId());
    }

    /** The result of a job of a batch that was not started. */
    public static <R> JobResult<R> unstarted(DefinitionRef definition) {
        return new JobResult<>(null, definition, null, JobStatus.CREATED, null, null, 0, null, null, null, null);
    }
}
