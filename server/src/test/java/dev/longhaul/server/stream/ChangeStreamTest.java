package dev.longhaul.server.stream;

import static dev.longhaul.JobOptions.options;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.server.Api;
import dev.longhaul.server.Counting;
import dev.longhaul.server.Doors;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.SseClient;
import dev.longhaul.server.SseClient.Event;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("full")
@Timeout(60)
class ChangeStreamTest {
    private final Counting counting = new Counting();
    private final Longhaul longhaul =
            Longhaul.builder().memory().register(counting.definition).start();
    private final LonghaulServer server = LonghaulServer.start(longhaul, Doors.AT_ONCE);
    private final Api api = new Api(server.port());

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    private SseClient follow(String query, String... headers) {
        return SseClient.open(server.port(), "/v1/events" + query, headers);
    }

    private JobId count(String name, int to) {
        return longhaul.later(counting.definition, new Counting.Count(name, to));
    }

    /** The events until the job has the status. */
    private static List<Event> until(SseClient client, JobId id, String status) throws IOException {
        var events = new ArrayList<Event>();
        while (true) {
            Event event = Objects.requireNonNull(client.next(), "the stream has ended");
            events.add(event);
            JsonNode job = event.json();
            if (event.type().equals("job")
                    && job.get("jobId").asText().equals(id.toString())
                    && job.get("status").asText().equals(status)) {
                return events;
            }
        }
    }

    @Test
    void shows_the_fields_that_the_caller_may_see() throws IOException {
        try (SseClient client = follow("")) {
            JobId id = count("a", 3);
            List<Event> events = until(client, id, "succeeded");
            assertThat(events).extracting(Event::type).containsOnly("job");
            JsonNode job = events.get(events.size() - 1).json();
            assertThat(job.get("definitionKey").asText()).isEqualTo("test.count");
            assertThat(job.get("queue").asText()).isEqualTo("default");
            assertThat(job.has("progress")).isTrue();
            assertThat(job.get("attempts").asInt()).isEqualTo(1);
            assertThat(job.has("result")).isFalse();
        }
        // Over REST, so that the server requires keys at once.
        String key = api.post("/v1/keys", "{\"name\":\"reader\",\"role\":\"viewer\"}")
                .json()
                .get("secret")
                .asText();
        try (SseClient client = follow("", "Authorization", "Bearer " + key)) {
            JobId id = count("a", 3);
            List<Event> events = until(client, id, "succeeded");
            JsonNode job = events.get(events.size() - 1).json();
            assertThat(job.get("finishedAt").asText()).isNotEmpty();
            assertThat(job.has("attempts")).isFalse();
            assertThat(job.has("createdBy")).isFalse();
        }
    }

    @Test
    void sends_frequent_changes_once() throws Exception {
        JobId id = count("a", 0);
        long start = System.nanoTime();
        try (SseClient client = follow("")) {
            var writer = new Thread(() -> {
                for (int i = 0; i < 300; i++) {
                    counting.more("a", 1);
                    Counting.pause();
                }
                counting.finish("a");
            });
            writer.start();
            List<Event> events = until(client, id, "succeeded");
            writer.join();
            long seconds = (System.nanoTime() - start) / 1_000_000_000L;
            assertThat(seconds).isGreaterThanOrEqualTo(3);
            assertThat(events).hasSizeBetween(2, (int) seconds + 2);
        }
    }

    @Test
    void sends_only_requested_jobs() throws IOException {
        try (SseClient other = follow("?definitionKey=test.other");
                SseClient queue = follow("?queue=side&definitionKey=test.count");
                SseClient status = follow("?status=cancelled,failed,failed")) {
            longhaul.later(counting.definition, new Counting.Count("a", 1));
            JobId held = longhaul.later(
                    counting.definition,
                    new Counting.Count("a", 1),
                    options().queue("side").hold(true));
            assertThat(until(queue, held, "created")).hasSize(1);
            longhaul.cancel(held);
            assertThat(until(queue, held, "cancelled")).hasSizeLessThanOrEqualTo(2);
            assertThat(until(status, held, "cancelled")).hasSize(1);
            server.drain();
            assertThat(other.rest()).extracting(Event::type).containsExactly("drain");
            assertThat(queue.rest()).extracting(Event::type).containsExactly("drain");
            assertThat(status.rest()).extracting(Event::type).containsExactly("drain");
        }
    }

    @Test
    void sends_a_reset_when_more_has_changed_than_it_can_send() throws IOException {
        try (SseClient client = follow("?status=created")) {
            longhaul.laterAll(
                    counting.definition,
                    Collections.nCopies(600, new Counting.Count("a", 1)),
                    options().hold(true));
            Event event = Objects.requireNonNull(client.next());
            assertThat(event.type()).isEqualTo("reset");
            JobId id = longhaul.later(
                    counting.definition, new Counting.Count("a", 1), options().hold(true));
            assertThat(until(client, id, "created")).extracting(Event::type).contains("job");
        }
    }

    @Test
    void is_refused_to_the_hundred_and_first_client() throws IOException {
        var clients = new ArrayList<SseClient>();
        for (int i = 0; i < 100; i++) {
            clients.add(follow(""));
            assertThat(clients.get(i).status()).isEqualTo(200);
        }
        assertThat(api.get("/v1/events").status()).isEqualTo(429);
        for (SseClient client : clients) {
            client.close();
        }
        Counting.await("all are gone", () -> server.live().streams() == 0);
        try (SseClient again = follow("")) {
            assertThat(again.status()).isEqualTo(200);
        }
    }

    @Test
    void reports_invalid_requests() {
        assertThat(api.get("/v1/events?status=nonsense&x=1").json().get("errors"))
                .extracting(error -> error.get("field").asText())
                .containsExactly("status", "x");
    }
}
