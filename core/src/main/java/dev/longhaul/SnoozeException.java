package dev.longhaul;

import dev.longhaul.job.RunAt;

/** Thrown by job code to run again later; the attempt is not spent. */
public final class SnoozeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient RunAt until;

    public SnoozeException(RunAt until) {
        super("snoozed", null, false, false);
        this.until = until;
    }

    public RunAt until() {
        return until;
    }
}
