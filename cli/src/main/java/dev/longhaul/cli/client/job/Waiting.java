package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.time.Duration;

/** Waits until a job ends, with long polls. */
final class Waiting {
    private static final Duration POLL = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Number of the last log lines that are printed when a job has failed. */
    private static final int FAILED_LINES = 50;

    private final Api api;
    private final Screen screen;
    private final boolean json;

    Waiting(Call call) {
        this.api = call.api();
        this.screen = call.screen();
        this.json = call.json();
    }

    /** Waits until the job has ended or the deadline passes. Returns the exit code. */
    int await(String jobId, Deadline deadline) throws InterruptedException {
        var retryWindow = new Deadline.RetryWindow();
        try (var going = new StillGoing(screen, jobId)) {
            while (!deadline.passed()) {
                long pollStart = System.nanoTime();
                try {
                    Api.Reply reply = poll(jobId, deadline);
                    retryWindow.renew();
                    JsonNode job = reply.json();
                    String status = job.path("status").asText();
                    if (Outcome.ended(status)) {
                        print(reply, job);
                        return Outcome.exitCode(status);
                    }
                } catch (LonghaulException e) {
                    boolean retryable = e.code() == ErrorCode.UNAVAILABLE || e.code() == ErrorCode.RESOURCE_EXHAUSTED;
                    if (!retryable || retryWindow.expired()) {
                        throw e;
                    }
                }
                pauseBeforeRetry(pollStart, deadline);
            }
            going.printHint();
            return Outcome.NOT_FINISHED;
        }
    }

    /**
     * Limits polls to one per second, because a server that is unavailable or stopping causes an immediate response.
     */
    private static void pauseBeforeRetry(long pollStart, Deadline deadline) throws InterruptedException {
        Duration left = PAUSE.minusNanos(System.nanoTime() - pollStart);
        if (!left.isNegative()) {
            Thread.sleep(deadline.atMost(left).toMillis());
        }
    }

    private Api.Reply poll(String jobId, Deadline deadline) {
        Duration wait = deadline.atMost(POLL);
        // Rounded up to whole seconds, so that the last fraction of a second needs only one poll.
        long seconds = wait.plusMillis(999).toSeconds();
        return api.get("/v1/jobs/" + Api.segment(jobId) + "?waitSeconds=" + seconds, wait.plusSeconds(30));
    }

    /** Prints the end of a failed job's log to the error output. */
    private void printOutput(String jobId) {
        String log = api.get("/v1/jobs/" + Api.segment(jobId) + "/log?tail=" + FAILED_LINES)
                .body();
        log.lines().map(screen::safeForErr).forEach(screen.err()::println);
        screen.err().flush();
    }

    private void print(Api.Reply reply, JsonNode job) {
        if (json) {
            screen.out().println(reply.body());
            screen.out().flush();
        } else {
            if (job.path("status").asText().equals("failed")) {
                printOutput(job.path("jobId").asText());
            }
            Outcome.print(screen, job);
        }
    }
}
