package dev.longhaul.job;

import dev.longhaul.internal.text.Times;
import org.jspecify.annotations.Nullable;

/**
 * A job as a store showed it at one moment.
 *
 * @param spec what was asked for, as edited since; its run time is the resolved one, its idempotency key and hold flag are
 *     not read back
 * @param failure why it failed, or why its last attempt did
 * @param result what its handler returned, JSON text; only once it has succeeded
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
