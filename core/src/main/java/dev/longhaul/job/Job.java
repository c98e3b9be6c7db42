package dev.longhaul.job;

import dev.longhaul.internal.text.Times;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A job as a store returned it at one moment.
 *
 * @param spec the request with all later edits and the resolved run time; without the idempotency key and the hold
 * flag, which stores do not return
 * @param failure why the job failed, or why its last attempt failed
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

    /** The job as a store creates it from the spec at that time. */
    public static Job of(JobSpec spec, Instant now) {
        // PostgreSQL's precision; PostgreSQL would round.
        Instant runAt = spec.runTime().resolve(now).truncatedTo(ChronoUnit.MICROS);
        JobState state = spec.hold() ? JobState.CREATED : JobState.WAITING;
        return new Job(
                spec.storedAt(runAt),
                JobStatus.of(state, runAt, 0, now),
                new Times(now, now, runAt, null, null),
                Tally.NONE,
                Progress.NONE,
                null,
                null,
                null,
                null);
    }

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
