package dev.longhaul;

import org.jspecify.annotations.Nullable;

/**
 * The code of a job. What it returns is stored as the job's result; what it throws fails this attempt, and the definition's
 * retry policy decides about the next one.
 */
@FunctionalInterface
public interface JobHandler<P, R> {
    @Nullable
    R run(P params, JobContext context) throws Exception;
}
