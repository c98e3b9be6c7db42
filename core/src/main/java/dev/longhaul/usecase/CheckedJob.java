package dev.longhaul.usecase;

import dev.longhaul.NewJob;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import org.jspecify.annotations.Nullable;

/**
 * A {@link NewJob} that {@link Jobs#check} has accepted. It holds either a spec to store, or the existing job with the
 * same idempotency key.
 */
public final class CheckedJob {
    private final @Nullable JobSpec spec;
    private final @Nullable Job earlier;

    private CheckedJob(@Nullable JobSpec spec, @Nullable Job earlier) {
        this.spec = spec;
        this.earlier = earlier;
    }

    static CheckedJob of(JobSpec spec) {
        return new CheckedJob(spec, null);
    }

    static CheckedJob of(Job earlier) {
        return new CheckedJob(null, earlier);
    }

    /** The spec to store; null when the job exists. */
    @Nullable
    JobSpec spec() {
        return spec;
    }

    /** The existing job; null when there is a spec to store. */
    @Nullable
    Job earlier() {
        return earlier;
    }
}
