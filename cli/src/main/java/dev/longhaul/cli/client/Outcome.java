package dev.longhaul.cli.client;

import org.jspecify.annotations.Nullable;

/** What a command that waits for a job says by its exit code. */
final class Outcome {
    static final int SUCCEEDED = 0;
    static final int FAILED = 10;
    static final int CANCELLED = 11;
    static final int STILL_GOING = 12;

    private Outcome() {}

    /** The exit code for a job's status; null stands for one that was not waited for any longer. */
    static int exitCode(@Nullable String status) {
        return switch (status == null ? "" : status) {
            case "succeeded" -> SUCCEEDED;
            case "failed" -> FAILED;
            case "cancelled" -> CANCELLED;
            default -> STILL_GOING;
        };
    }

    static boolean ended(String status) {
        return exitCode(status) != STILL_GOING;
    }
}
