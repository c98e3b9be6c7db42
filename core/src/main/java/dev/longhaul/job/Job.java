package dev.longhaul.job;

import dev.longhaul.internal.text.Times;
import org.jspecify.annotations.Nullable;

/**
 * A job as a store returned it at one moment.
 *
 * @param spec as requested and edited since; its run time is the resolved one, its idempotency key and hold flag are
 * not read back
 * @param failure why the job failed, or why its last attempt did
 * @param result the handler's return value as JSON text; only once the job has succeeded
 */
public record Job(
        JobSpec spec,
        JobStatus status,
        Times times,
        Tally tally,
        Progress progress,
        @Nullable Lease lease,
        @Nullable CancelRequest cancelRequest,
        @Nullable Failure failure,
        @Nullable String result) {

    public JobId id() {
        return spec.id();
    }

    public JobState state() {
        return status.state();
    }

    /** The same job without its large parts: params, result and the stack of its failure. */
    public Job brief() {
        Failure cause = failure;
        return new Job(
                spec.withoutParams(),
                status,
                times,
                tally,
                progress,
                lease,
                cancelRequest,
                cause == null ? null : new Failure(cause.code(), cause.message(), cause.type(), null),
                null);
    }
}
