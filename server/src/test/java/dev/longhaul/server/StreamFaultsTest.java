package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.job.JobId;
import dev.longhaul.server.SseClient.Event;
import dev.longhaul.testing.FaultVolume;
import dev.longhaul.testing.TestPostgres;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams during faults: two servers on one PostgreSQL, with jobs that run on one of them. */
@Tag("faults")
@Tag("full")
@Timeout(240)
@Order(1) // Long: starts first, so that other tests run in parallel.
class StreamFaultsTest {
    private static Counting counting;
    private static EmbeddedPostgres postgres;
    private static TwoServers servers;
    private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();

    @BeforeAll
    static void start() {
        counting = new Counting();
        postgres = TestPostgres.start();
        servers = new TwoServers(TestPostgres.on(postgres), counting.definition);
    }

    @AfterAll
    static void stop() {
        servers.close();
        postgres.close();
    }

    @AfterEach
    void close() {
        pace.shutdownNow();
    }

    private JobId count(String name) {
        return servers.asking.later(counting.definition, new Counting.Count(name, 0));
    }

    private static List<String> lines(List<Event> events) {
        return events.stream()
                .filter(event -> event.type().equals("log"))
                .map(event -> event.json().get("payload").get("message").asText())
                .toList();
    }

    private static List<String> numbered(int to) {
        return IntStream.range(0, to).mapToObj(line -> "line " + line).toList();
    }

    private static List<Event> read(SseClient client, int events) throws IOException {
        var read = new ArrayList<Event>();
        while (read.size() < events) {
            read.add(Objects.requireNonNull(client.next(), "the stream has ended"));
        }
        return read;
    }

    @Test
    void a_server_shows_what_a_worker_of_another_does() throws Exception {
        JobId id = count("shown");
        try (SseClient client =
                SseClient.open(servers.first.port(), "/v1/jobs/" + id + "/events?types=log,succeeded")) {
            for (int round = 0; round < 3; round++) {
                counting.more("shown", 5);
                assertThat(lines(read(client, 5)))
                        .isEqualTo(numbered(5 * round + 5).subList(5 * round, 5 * round + 5));
            }
            counting.finish("shown");
            assertThat(client.rest()).extracting(Event::type).containsExactly("succeeded", "end");
        }
        assertThat(new Api(servers.first.port())
                        .get("/v1/jobs/" + id + "?waitSeconds=20")
                        .json()
                        .get("status")
                        .asText())
                .isEqualTo("succeeded");
    }

    @Test
    void a_client_that_is_cut_off_at_random_gets_each_event_once_and_in_order() throws Exception {
        int cuts = FaultVolume.of(10, 50);
        int lines = FaultVolume.of(500, 5000);
        long seed = FaultVolume.seed();
        var random = new Random(seed);
        JobId id = count("cut");
        write("cut", lines);

        var events = new ArrayList<Event>();
        int[] streams = new int[2];
        for (int cut = 0; cut < cuts; cut++) {
            try (SseClient client = resume(id, events, random, streams)) {
                // An event has four lines.
                client.cutAfter(1 + random.nextInt(4 * lines / cuts));
                events.addAll(client.rest());
            }
        }
        try (SseClient client = resume(id, events, random, streams)) {
            events.addAll(client.rest());
        }
        Event end = events.remove(events.size() - 1);
        FaultVolume.tell(
                "%d lines, %d cuts, %d and %d streams on the two servers, seed %d",
                lines, cuts, streams[0], streams[1], seed);
        assertThat(end.data()).isEqualTo("{\"status\":\"succeeded\"}");
        assertThat(events)
                .extracting(Event::position)
                .isEqualTo(IntStream.rangeClosed(1, lines + 3).boxed().toList());
        assertThat(lines(events)).isEqualTo(numbered(lines));
        assertThat(streams).doesNotContain(0);
    }

    /** Makes the job write the lines, a few at a time, and then end. */
    private void write(String name, int lines) {
        pace.execute(() -> {
            for (int line = 0; line < lines; line += 10) {
                counting.more(name, 10);
                Counting.pause();
            }
            counting.finish(name);
        });
    }

    private SseClient resume(JobId id, List<Event> events, Random random, int[] streams) {
        int which = random.nextInt(2);
        streams[which]++;
        int port = (which == 0 ? servers.first : servers.second).port();
        String last = events.isEmpty() ? "0" : events.get(events.size() - 1).id();
        SseClient client = SseClient.open(port, "/v1/jobs/" + id + "/events", "Last-Event-ID", last);
        assertThat(client.status()).isEqualTo(200);
        return client;
    }

    @Test
    void a_stream_outlives_the_database() throws Exception {
        JobId id = count("outage");
        counting.more("outage", 1);
        try (SseClient client = SseClient.open(servers.first.port(), "/v1/jobs/" + id + "/events?types=log,succeeded");
                SseClient hints = SseClient.open(servers.first.port(), "/v1/events?status=created")) {
            assertThat(lines(read(client, 1))).containsExactly("line 0");
            postgres.stopServer();
            counting.more("outage", 1);
            assertThat(new Api(servers.first.port()).get("/readyz").status()).isEqualTo(503);
            postgres.startServer();
            assertThat(lines(read(client, 1))).containsExactly("line 1");
            // Changes during the outage may have been missed.
            assertThat(read(hints, 1)).extracting(Event::type).containsExactly("reset");
            counting.finish("outage");
            assertThat(client.rest()).extracting(Event::type).containsExactly("succeeded", "end");
        }
    }

    @Test
    void an_idle_stream_is_kept_open() throws Exception {
        int seconds = FaultVolume.of(20, 90);
        JobId id = count("kept");
        try (SseClient client =
                SseClient.open(servers.first.port(), "/v1/jobs/" + id + "/events?types=log,succeeded")) {
            var unused = pace.schedule(() -> counting.more("kept", 1), seconds, TimeUnit.SECONDS);
            assertThat(lines(read(client, 1))).containsExactly("line 0");
            assertThat(client.comments())
                    .hasSizeBetween(seconds / 20, seconds / 15)
                    .containsOnly(": ping");
            counting.finish("kept");
            assertThat(client.rest()).extracting(Event::type).containsExactly("succeeded", "end");
        }
    }
}
