package dev.longhaul.server.stream;

import static dev.longhaul.JobOptions.options;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.job.JobId;
import dev.longhaul.server.Api;
import dev.longhaul.server.Counting;
import dev.longhaul.server.Doors;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.SseClient;
import dev.longhaul.server.SseClient.Event;
import java.io.IOException;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventStreamTest {
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

    private JobId count(String name, int to) {
        return longhaul.later(counting.definition, new Counting.Count(name, to));
    }

    private SseClient follow(JobId id, String query, String... headers) {
        return SseClient.open(server.port(), "/v1/jobs/" + id + "/events" + query, headers);
    }

    private void awaitEnd(JobId id) {
        assertThat(api.get("/v1/jobs/" + id + "?waitSeconds=30")
                        .json()
                        .get("status")
                        .asText())
                .isEqualTo("succeeded");
    }

    private static Event required(SseClient client) throws IOException {
        return Objects.requireNonNull(client.next(), "the stream has ended");
    }

    private static List<String> lines(List<Event> events) {
        return events.stream()
                .filter(event -> event.type().equals("log"))
                .map(event -> event.json().get("payload").get("message").asText())
                .toList();
    }

    private static List<String> numbered(int from, int to) {
        return IntStream.range(from, to).mapToObj(line -> "line " + line).toList();
    }

    private static List<Integer> positions(List<Event> events) {
        return events.stream()
                .filter(event -> !event.id().isEmpty())
                .map(Event::position)
                .toList();
    }

    private static List<Integer> upTo(int from, int last) {
        return IntStream.rangeClosed(from, last).boxed().toList();
    }

    @Test
    void replays_stored_events_continues_live_and_ends_with_the_job() throws IOException {
        JobId id = count("a", 0);
        counting.more("a", 10);
        Counting.await(
                "ten lines are stored",
                () -> longhaul.store().jobs().events(EventQuery.of(id)).size() >= 12);
        try (SseClient client = follow(id, "")) {
            assertThat(client.status()).isEqualTo(200);
            assertThat(client.header("content-type")).isEqualTo("text/event-stream; charset=utf-8");
            var events = new ArrayList<Event>();
            while (lines(events).size() < 10) {
                events.add(required(client));
            }
            counting.more("a", 10);
            while (lines(events).size() < 20) {
                events.add(required(client));
            }
            counting.finish("a");
            events.addAll(client.rest());

            assertThat(client.retry()).isEqualTo("2000");
            assertThat(lines(events)).isEqualTo(numbered(0, 20));
            assertThat(positions(events)).isEqualTo(upTo(1, events.size() - 1));
            assertThat(events.get(0).type()).isEqualTo("created");
            assertThat(events.get(events.size() - 2).type()).isEqualTo("succeeded");
            assertThat(events.get(events.size() - 1)).isEqualTo(new Event("", "end", "{\"status\":\"succeeded\"}"));
        }
    }

    @Test
    void equals_the_pages_of_stored_events() throws IOException {
        JobId id = count("a", 1200);
        awaitEnd(id);
        var stored = new ArrayList<JsonNode>();
        for (String from = "0"; !from.equals("null"); ) {
            var page = api.get("/v1/jobs/" + id + "/events?limit=1000&from=" + from)
                    .json();
            page.get("events").forEach(stored::add);
            from = page.get("next").asText();
        }
        try (SseClient client = follow(id, "")) {
            List<Event> events = client.rest();
            assertThat(events.remove(events.size() - 1).type()).isEqualTo("end");
            assertThat(events.stream().map(Event::json).toList()).isEqualTo(stored);
            assertThat(stored).hasSizeGreaterThan(1200);
        }
    }

    @Test
    void is_the_same_over_http_2() throws IOException {
        JobId id = count("a", 700);
        var http2 = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        try (SseClient client = SseClient.open(http2, server.port(), "/v1/jobs/" + id + "/events")) {
            List<Event> events = client.rest();
            assertThat(client.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(positions(events)).isEqualTo(upTo(1, 703));
            assertThat(lines(events)).isEqualTo(numbered(0, 700));
        }
    }

    @Test
    void resumes_after_the_last_event_of_the_client() throws IOException {
        JobId id = count("a", 5);
        awaitEnd(id);
        try (SseClient whole = follow(id, "");
                SseClient header = follow(id, "?from=1", "Last-Event-ID", "4");
                SseClient query = follow(id, "?from=4")) {
            List<Event> events = whole.rest();
            assertThat(header.rest())
                    .isEqualTo(query.rest())
                    .isEqualTo(events.subList(4, events.size()))
                    .hasSize(5);
        }
        try (SseClient over = follow(id, "?from=1000")) {
            assertThat(over.rest()).extracting(Event::type).containsExactly("end");
        }
    }

    @Test
    void omits_events_that_were_not_requested() throws IOException {
        JobId id = count("a", 700);
        try (SseClient client = follow(id, "?types=started,succeeded,started")) {
            assertThat(client.rest()).extracting(Event::type).containsExactly("started", "succeeded", "end");
        }
    }

    @Test
    void reports_invalid_requests() {
        JobId id = count("a", 1);
        String path = "/v1/jobs/" + id + "/events";
        Api streaming = api.with("Accept", "text/event-stream");
        assertThat(streaming.get(path + "?from=-1&types=nonsense&x=1").json().get("errors"))
                .extracting(error -> error.get("field").asText())
                .containsExactly("from", "types", "x");
        for (String bad : List.of("-1", "a", "1.5", "99999999999")) {
            var reply = streaming.with("Last-Event-ID", bad).get(path);
            assertThat(reply.status()).as(bad).isEqualTo(400);
            assertThat(reply.body()).contains("Last-Event-ID", bad);
        }
        String unknown = path.replace(id.toString(), JobId.next().toString());
        assertThat(streaming.get(unknown).status()).isEqualTo(404);
        assertThat(api.get(path).json().get("events").isArray()).isTrue();
    }

    @Test
    void is_refused_to_the_eleventh_client_until_another_has_disconnected() throws IOException {
        JobId id = count("a", 0);
        var clients = new ArrayList<SseClient>();
        for (int i = 0; i < 10; i++) {
            clients.add(follow(id, ""));
            assertThat(clients.get(i).status()).isEqualTo(200);
        }
        var refused = api.with("Accept", "text/event-stream").get("/v1/jobs/" + id + "/events");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.json().get("code").asText()).isEqualTo("resource_exhausted");
        assertThat(refused.header("retry-after")).isNotEmpty();
        JobId other = count("a", 0);
        try (SseClient elsewhere = follow(other, "")) {
            assertThat(elsewhere.status()).isEqualTo(200);
        }
        clients.remove(0).close();
        Counting.await("there is room again", () -> {
            SseClient again = follow(id, "");
            clients.add(again);
            return again.status() == 200;
        });
        for (SseClient client : clients) {
            client.close();
        }
        counting.finish("a");
    }

    @Test
    void ends_with_a_request_to_reconnect_when_the_server_drains() throws IOException {
        JobId id = count("a", 0);
        counting.more("a", 3);
        try (SseClient client = follow(id, "?types=log")) {
            for (String line : numbered(0, 3)) {
                assertThat(lines(List.of(required(client)))).containsExactly(line);
            }
            server.drain();
            assertThat(client.rest()).extracting(Event::type).containsExactly("drain");
            assertThat(client.retry()).isEqualTo("2000");
        }
        var late = api.with("Accept", "text/event-stream").get("/v1/jobs/" + id + "/events");
        assertThat(late.status()).isEqualTo(503);
        assertThat(late.header("retry-after")).isNotEmpty();
        counting.finish("a");
    }

    @Test
    void does_not_end_when_a_retry_has_reverted_the_end() throws IOException {
        JobId id = longhaul.later(
                counting.definition, new Counting.Count("a", 1), options().hold(true));
        longhaul.cancel(id);
        longhaul.retry(id);
        awaitEnd(id);
        try (SseClient client = follow(id, "?types=cancelled,retried,succeeded")) {
            List<Event> events = client.rest();
            assertThat(events).extracting(Event::type).containsExactly("cancelled", "retried", "succeeded", "end");
            assertThat(events.get(3).json().get("status").asText()).isEqualTo("succeeded");
        }
    }
}
