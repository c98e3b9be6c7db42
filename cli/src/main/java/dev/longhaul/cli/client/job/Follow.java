package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Query;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads all events of a job, each once and in order, and reconnects if the connection drops. */
final class Follow {
    /** Read timeout: three times the server's ping interval, which is 15 s. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(45);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Api api;
    private final String path;
    private final Deadline deadline;
    private final Deadline.RetryWindow retryWindow = new Deadline.RetryWindow();
    private long position;
    private Duration pause = FIRST_PAUSE;

    /**
     * @param types event types separated by commas; null means all
     * @param after the position of the last event already read
     */
    Follow(Api api, String jobId, @Nullable String types, long after, Deadline deadline) {
        this.api = api;
        this.path = "/v1/jobs/" + Api.segment(jobId) + "/events" + new Query().with("types", types);
        this.position = after;
        this.deadline = deadline;
    }

    /** An event with its parsed and its original JSON. */
    record Event(String type, JsonNode json, String text) {
        JsonNode payload() {
            return json.path("payload");
        }
    }

    /**
     * Passes every event to the sink until the job has ended. Returns the job's status; null if the deadline passed
     * before.
     */
    @Nullable
    String toEnd(Consumer<Event> sink) throws InterruptedException {
        boolean connected = false;
        while (!deadline.passed()) {
            try (var stream = new EventStream(api.events(path, position))) {
                connected = true;
                retryWindow.renew();
                String status = read(stream, sink);
                if (status != null) {
                    return status;
                }
                if (stream.retryMillis() >= 0) {
                    pause = Duration.ofMillis(stream.retryMillis());
                }
            } catch (LonghaulException e) {
                boolean retryable = e.code() == ErrorCode.UNAVAILABLE || e.code() == ErrorCode.RESOURCE_EXHAUSTED;
                if (!connected || !retryable || retryWindow.expired()) {
                    throw e;
                }
            }
            pauseBeforeRetry();
        }
        return null;
    }

    private @Nullable String read(EventStream stream, Consumer<Event> sink) throws InterruptedException {
        while (!deadline.passed()) {
            EventStream.Message message = stream.next(deadline.atMost(READ_TIMEOUT));
            if (message == null) {
                return null;
            }
            pause = FIRST_PAUSE;
            if (message.event().equals("end")) {
                return Api.parse(message.data(), "an event").path("status").asText();
            }
            long at = EventStream.number(message.id(), 0);
            if (at > position) {
                position = at;
                sink.accept(new Event(message.event(), Api.parse(message.data(), "an event"), message.data()));
            }
        }
        return null;
    }

    private void pauseBeforeRetry() throws InterruptedException {
        Thread.sleep(deadline.atMost(pause).toMillis());
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
    }
}
