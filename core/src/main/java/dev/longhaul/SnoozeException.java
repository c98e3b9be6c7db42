package dev.longhaul;

import dev.longhaul.job.RunTime;

/** Thrown by job code to run again later; the attempt is not spent. */
public final class SnoozeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient RunTime until;

    public SnoozeException(RunTime until) {
        super("snoozed", null, false, false);
        this.until = until;
    }

    public RunTime until() {
        return until;
    }
}
