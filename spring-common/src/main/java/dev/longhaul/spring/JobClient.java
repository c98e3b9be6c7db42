package dev.longhaul.spring;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.job.JobId;

/**
 * Enqueues jobs of one definition. Inject it with its types, as in {@code JobClient<Welcome, Sent>}: the definition with these
 * types is found when the application starts, which fails if there is none. Use {@link JobKey} if there are several. For other
 * operations pass {@link #definition} to {@link dev.longhaul.Longhaul}.
 */
public interface JobClient<P, R> {
    /** Queues a job; within a transaction, the job exists once that commits. */
    default JobId later(P params) {
        return later(params, JobOptions.options());
    }

    JobId later(P params, JobOptions options);

    /** The definition; available once the application context has created its singletons. */
    JobDefinition<P, R> definition();
}
