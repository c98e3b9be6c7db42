package dev.longhaul;

/**
 * Thrown when the result of a job is required and the job has not succeeded; {@link #result} holds the job's stored
 * state.
 */
public final class JobFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient JobResult<?> result;

    public JobFailedException(JobResult<?> result) {
        super(result.summary());
        this.result = result;
    }

    public JobResult<?> result() {
        return result;
    }
}
