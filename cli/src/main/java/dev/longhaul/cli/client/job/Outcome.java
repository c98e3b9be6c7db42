package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.ResponseText;
import dev.longhaul.cli.client.Screen;
import org.jspecify.annotations.Nullable;

/** How a job ended, as a command that waits for it prints it and says it by its exit code. */
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

    /** How a job ended: one line, and below it what it returned. */
    static void print(Screen screen, JsonNode job) {
        String status = job.path("status").asText();
        screen.out()
                .println(screen.safe(job.path("jobId").asText() + " " + status
                        + (status.equals("failed") ? ": " + ResponseText.error(job.path("error")) : "")));
        if (job.hasNonNull("result")) {
            screen.out().println(screen.safe(job.get("result").toString()));
        }
        screen.out().flush();
    }
}
