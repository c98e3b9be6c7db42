package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.time.Duration;

/** Waits for a job's end without looking at what it does meanwhile. */
final class Waiting {
    private static final Duration POLL = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Api api;
    private final Screen screen;
    private final boolean json;

    Waiting(Api api, Screen screen, boolean json) {
        this.api = api;
        this.screen = screen;
        this.json = json;
    }

    /** Answers the exit code. */
    int await(String jobId, Deadline deadline) throws InterruptedException {
        var patience = new Deadline.Patience();
        try (var going = new StillGoing(screen, jobId)) {
            while (!deadline.passed()) {
                try {
                    Api.Reply reply = look(jobId, deadline);
                    patience.renew();
                    JsonNode job = reply.json();
                    String status = job.path("status").asText();
                    if (Outcome.ended(status)) {
                        tell(reply, job);
                        return Outcome.exitCode(status);
                    }
                } catch (LonghaulException e) {
                    if (e.code() != ErrorCode.UNAVAILABLE || patience.spent()) {
                        throw e;
                    }
                    Thread.sleep(deadline.atMost(PAUSE).toMillis());
                }
            }
            going.say();
            return Outcome.STILL_GOING;
        }
    }

    private Api.Reply look(String jobId, Deadline deadline) {
        Duration wait = deadline.atMost(POLL);
        // Rounded up, so that the last look is not a row of them.
        long seconds = wait.plusMillis(999).toSeconds();
        return api.get("/v1/jobs/" + Api.segment(jobId) + "?waitSeconds=" + seconds, wait.plusSeconds(30));
    }

    private void tell(Api.Reply reply, JsonNode job) {
        if (json) {
            screen.out().println(reply.body());
            screen.out().flush();
        } else {
            JobText.end(screen, job);
        }
    }
}
