package dev.longhaul;

import org.jspecify.annotations.Nullable;

/**
 * The code of a job. Its return value is stored as the job's result; an exception fails this attempt, and the
 * definition's retry policy decides about the next one.
 */
@FunctionalInterface
public interface JobHandler<P, R> {
    @Nullable
    R run(P params, JobContext context) throws Exception;
}
