package dev.longhaul.process.command;

/** Represents a failed process, so that a retry policy can treat it like an exception. */
public final class ProcessFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    ProcessFailedException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Returns the exit code; 128 plus the signal number if a signal killed the process. */
    public int exitCode() {
        return exitCode;
    }
}
