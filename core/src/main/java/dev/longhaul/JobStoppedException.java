package dev.longhaul;

/** Thrown inside job code that should stop: cancelled, timed out, or no longer the owner of its job. */
public final class JobStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JobStoppedException(String reason) {
        super(reason);
    }
}
