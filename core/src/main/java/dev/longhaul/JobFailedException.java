package dev.longhaul;

/** A job whose result was needed has not succeeded; {@link #result} tells what is stored about it. */
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
