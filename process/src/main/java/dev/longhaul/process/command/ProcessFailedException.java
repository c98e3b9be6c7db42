package dev.longhaul.process.command;

/** A failed process, as passed to the retry policy of a definition. */
public final class ProcessFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    ProcessFailedException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The exit code; 128 plus the signal number if a signal killed the process. */
    public int exitCode() {
        return exitCode;
    }
}
