package dev.longhaul.process.command;

/** How the end of a process looks to a definition's retry policy. */
public final class ProcessFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    ProcessFailedException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** 128 and the signal's number for a process that a signal ended. */
    public int exitCode() {
        return exitCode;
    }
}
