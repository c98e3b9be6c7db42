package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.ResponseText;
import dev.longhaul.cli.client.Screen;
import org.jspecify.annotations.Nullable;

/** Prints how a job ended, and maps its status to an exit code. */
final class Outcome {
    static final int SUCCEEDED = 0;
    static final int FAILED = 10;
    static final int CANCELLED = 11;
    static final int NOT_FINISHED = 12;

    private Outcome() {}

    /**
     * Returns the exit code for a job's status.
     *
     * @param status null if the job has not finished
     */
    static int exitCode(@Nullable String status) {
        return switch (status == null ? "" : status) {
            case "succeeded" -> SUCCEEDED;
            case "failed" -> FAILED;
            case "cancelled" -> CANCELLED;
            default -> NOT_FINISHED;
        };
    }

    static boolean ended(String status) {
        return exitCode(status) != NOT_FINISHED;
    }

    /** Prints the status and the error on one line, and the result below it. */
    static void print(Screen screen, JsonNode job) {
        String status = job.path("status").asText();
        String error = status.equals("failed") ? ": " + ResponseText.error(job.path("error")) : "";
        screen.out().println(job.path("jobId").asText() + " " + screen.paintStatus(status) + screen.safe(error));
        if (job.hasNonNull("result")) {
            screen.out().println(screen.safe(job.get("result").toString()));
        }
        screen.out().flush();
    }
}
