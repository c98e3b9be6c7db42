package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Query;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Follows one job's events to their end, each once and in order, over as many connections as that takes. */
final class Follow {
    /** The server pings every 15 s; one that is silent for three times that long is gone. */
    private static final Duration SILENCE = Duration.ofSeconds(45);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Api api;
    private final String path;
    private final Deadline deadline;
    private final Deadline.Patience patience = new Deadline.Patience();
    private long position;
    private Duration pause = FIRST_PAUSE;

    /**
     * @param types which events, as the API names them with commas between; null means all
     * @param after the position that was seen already
     */
    Follow(Api api, String jobId, @Nullable String types, long after, Deadline deadline) {
        this.api = api;
        this.path = "/v1/jobs/" + Api.segment(jobId) + "/events" + new Query().with("types", types);
        this.position = after;
        this.deadline = deadline;
    }

    /** An event and the JSON it came as. */
    record Event(String type, JsonNode json, String text) {
        JsonNode payload() {
            return json.path("payload");
        }
    }

    /** Hands on every event until the job has ended; answers its status, or null when time was up before. */
    @Nullable
    String toEnd(Consumer<Event> sink) throws InterruptedException {
        boolean met = false;
        while (!deadline.passed()) {
            try (var stream = new EventStream(api.events(path, position))) {
                met = true;
                patience.renew();
                String status = read(stream, sink);
                if (status != null) {
                    return status;
                }
                if (stream.retryMillis() >= 0) {
                    pause = Duration.ofMillis(stream.retryMillis());
                }
            } catch (LonghaulException e) {
                boolean passing = e.code() == ErrorCode.UNAVAILABLE || e.code() == ErrorCode.RESOURCE_EXHAUSTED;
                if (!met || !passing || patience.spent()) {
                    throw e;
                }
            }
            rest();
        }
        return null;
    }

    private @Nullable String read(EventStream stream, Consumer<Event> sink) throws InterruptedException {
        while (!deadline.passed()) {
            EventStream.Message message = stream.next(deadline.atMost(SILENCE));
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

    private void rest() throws InterruptedException {
        Thread.sleep(deadline.atMost(pause).toMillis());
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
    }
}
