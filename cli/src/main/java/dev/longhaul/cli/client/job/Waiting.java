package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.Screen;
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

    Waiting(Call call) {
        this.api = call.api();
        this.screen = call.screen();
        this.json = call.json();
    }

    /** Answers the exit code. */
    int await(String jobId, Deadline deadline) throws InterruptedException {
        var patience = new Deadline.Patience();
        try (var going = new StillGoing(screen, jobId)) {
            while (!deadline.passed()) {
                long asked = System.nanoTime();
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
                    boolean passing = e.code() == ErrorCode.UNAVAILABLE || e.code() == ErrorCode.RESOURCE_EXHAUSTED;
                    if (!passing || patience.spent()) {
                        throw e;
                    }
                }
                rest(asked, deadline);
            }
            going.say();
            return Outcome.STILL_GOING;
        }
    }

    /** A server that is away or about to stop answers at once: it is not asked more than once a second. */
    private static void rest(long asked, Deadline deadline) throws InterruptedException {
        Duration left = PAUSE.minusNanos(System.nanoTime() - asked);
        if (!left.isNegative()) {
            Thread.sleep(deadline.atMost(left).toMillis());
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
            Outcome.print(screen, job);
        }
    }
}
