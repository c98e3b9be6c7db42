package dev.longhaul.server.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.server.webhook.ReceiverProgram.Note;
import dev.longhaul.webhook.WebhookSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Server and receiver are killed repeatedly, and the receiver fails in other ways: every event is delivered, in order. */
@Tag("faults")
@Tag("full")
@Timeout(900)
class WebhookFaultsTest {
    private static final boolean FULL = "full".equals(System.getProperty("longhaul.faults"));
    private static final int KILLS = FULL ? 30 : 3;
    private static final int FIRST_FAILURES = 20;
    private static final int JOBS_PER_KILL = 20;
    private static final int MOST_BEFORE_KILL = 40;
    /** Every third job has its own webhook. */
    private static final int OWN_EVERY = 3;

    private static final String SUBSCRIBED = "/in";
    private static final String OWN = "/own";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final long seed = Long.getLong("longhaul.seed", 42);
    private final Random random = new Random(seed);
    private final String secret = WebhookSecret.random();
    private final String ownSecret = WebhookSecret.random();
    private final List<JobId> jobs = new ArrayList<>();
    /** How often the receiver was killed while deliveries were pending. */
    private int missed;

    @Test
    void every_event_is_delivered_in_order_although_server_and_receiver_are_killed(@TempDir Path home)
            throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home.resolve("postgres")))) {
            String url = postgres.jdbcUrl() + (postgres.jdbcUrl().contains("?") ? "&" : "?") + "user=" + postgres.user()
                    + "&password=" + postgres.password();
            try (HikariDataSource pool = ServerToKill.pool(url);
                    Longhaul asking = Longhaul.builder()
                            .postgres(pool)
                            .register(ServerToKill.NUMBERED)
                            .enqueueOnly()
                            .start();
                    var receiver = new ReceiverToKill(
                            home, Map.of(SUBSCRIBED, secret, OWN, ownSecret), seed, FIRST_FAILURES)) {
                receiver.start(false);
                asking.store().webhooks().create(UUID.randomUUID(), everything(receiver.url(SUBSCRIBED), secret), null);
                for (int kill = 0; kill < KILLS; kill++) {
                    killBoth(asking, url, receiver);
                }
                int before = receiver.requests();
                try (JavaProcess last = ServerToKill.start(url)) {
                    receiver.kill();
                    receiver.start(true);
                    last.awaitReady();
                    awaitAll(asking);
                }
                System.out.printf("%d of %d requests came while they were killed%n", before, receiver.requests());
                check(asking, receiver);
            }
        }
    }

    private static WebhookSpec everything(String url, String secret) {
        return new WebhookSpec(
                url,
                EnumSet.complementOf(EnumSet.of(WebhookEvent.WEBHOOK_TEST)),
                Set.of(),
                Set.of(),
                Map.of(),
                List.of(secret));
    }

    private JobWebhook ownWebhook(ReceiverToKill receiver) {
        return JobWebhook.to(receiver.url(OWN))
                .events(EnumSet.range(WebhookEvent.JOB_STARTED, WebhookEvent.JOB_ENDED))
                .secret(ownSecret);
    }

    /** Kills the receiver while a server sends, and then the server, before or after the receiver is available again. */
    private void killBoth(Longhaul asking, String url, ReceiverToKill receiver) throws Exception {
        try (JavaProcess server = ServerToKill.start(url)) {
            server.awaitReady();
            for (int i = 0; i < JOBS_PER_KILL; i++) {
                JobOptions options = jobs.size() % OWN_EVERY == 0
                        ? JobOptions.options().webhook(ownWebhook(receiver))
                        : JobOptions.options();
                jobs.add(asking.later(ServerToKill.NUMBERED, new ServerToKill.Numbered(jobs.size()), options));
            }
            awaitMoreRequests(receiver, 1 + random.nextInt(MOST_BEFORE_KILL));
            receiver.kill();
            if (asking.store().deliveries().backlog().pending() > 0) {
                missed++;
            }
            if (random.nextBoolean()) {
                server.kill();
            }
            receiver.start(false);
            if (server.alive()) {
                awaitMoreRequests(receiver, 1 + random.nextInt(MOST_BEFORE_KILL));
            }
        }
    }

    /**
     * Waits for requests, so that a kill happens during work, with a timeout: a killed server's deliveries are held for
     * 30 s.
     */
    private static void awaitMoreRequests(ReceiverToKill receiver, int more) throws IOException {
        int many = receiver.requests() + more;
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (receiver.requests() < many && System.nanoTime() < until) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    private void awaitAll(Longhaul asking) {
        while (jobs.stream()
                        .anyMatch(id -> !asking.store()
                                .jobs()
                                .find(id)
                                .orElseThrow()
                                .state()
                                .terminal())
                || asking.store().deliveries().backlog().pending() > 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    private void check(Longhaul asking, ReceiverToKill receiver) throws Exception {
        List<Note> notes = receiver.notes();
        List<Note> taken = notes.stream()
                .filter(note -> note.how().equals(ReceiverProgram.TAKEN))
                .toList();
        var first = new LinkedHashMap<String, Note>();
        for (Note note : taken) {
            assertThat(first.computeIfAbsent(note.id(), id -> note))
                    .as("what came with this id before")
                    .isEqualTo(note);
        }
        int events = checkEach(asking, delivered(first.values()));
        assertThat(first).as("ids of events").hasSize(events);
        Map<String, Long> ways =
                notes.stream().collect(Collectors.groupingBy(Note::how, TreeMap::new, Collectors.counting()));
        System.out.printf(
                "[%s] %d servers and %d receivers killed, %d of these with pending deliveries; %d jobs, %d events, each delivered in order; %d repeated; requests: %s%n",
                FULL ? "full" : "short",
                KILLS,
                receiver.lives() - 1,
                missed,
                jobs.size(),
                events,
                taken.size() - events,
                ways);
        assertThat(ways)
                .as("what became of requests")
                .doesNotContainKey(ReceiverProgram.FORGED)
                .containsKeys(FULL ? new String[] {"500", "hangs", "redirects"} : new String[] {"500"})
                .hasEntrySatisfying("500", many -> assertThat(many).isGreaterThanOrEqualTo(FIRST_FAILURES));
        assertThat(missed).as("kills of the receiver with pending deliveries").isPositive();
        assertThat(asking.store().deliveries().backlog().parked()).isZero();
    }

    /** The events of each job that each path received, in the order of their first arrival. */
    private static Map<String, List<String>> delivered(Collection<Note> notes) throws IOException {
        var delivered = new HashMap<String, List<String>>();
        for (Note note : notes) {
            JsonNode envelope = JSON.readTree(note.body());
            assertThat(envelope.path("id").asText()).isEqualTo(note.id());
            delivered
                    .computeIfAbsent(note.path() + envelope.path("subject").asText(), id -> new ArrayList<>())
                    .add(envelope.path("data").path("position").asInt() + " "
                            + envelope.path("type").asText());
        }
        return delivered;
    }

    /** Returns the number of events. */
    private int checkEach(Longhaul asking, Map<String, List<String>> delivered) {
        int events = 0;
        for (int i = 0; i < jobs.size(); i++) {
            JobId id = jobs.get(i);
            List<String> expected = expected(asking, id);
            assertThat(delivered.get(SUBSCRIBED + id)).as("of job %s", id).isEqualTo(expected);
            List<String> toItself = i % OWN_EVERY == 0 ? expected : List.of();
            assertThat(delivered.getOrDefault(OWN + id, List.of()))
                    .as("to the own webhook of job %s", id)
                    .isEqualTo(toItself);
            events += expected.size() + toItself.size();
        }
        return events;
    }

    /** The webhook events that a job's stored events imply. A lost last run is delivered only as the job's end. */
    private static List<String> expected(Longhaul asking, JobId id) {
        var expected = new ArrayList<String>();
        List<JobEvent> events = asking.store().jobs().events(EventQuery.of(id));
        for (int i = 0; i < events.size(); i++) {
            JobEvent event = events.get(i);
            boolean last = i == events.size() - 1;
            switch (event.type()) {
                case STARTED -> expected.add(event.position() + " job.started");
                case RETRYING -> expected.add(event.position() + " job.retrying");
                case LOST -> {
                    if (!last && events.get(i + 1).type() == EventType.STARTED) {
                        expected.add(event.position() + " job.retrying");
                    }
                }
                case SUCCEEDED, FAILED, CANCELLED -> {
                    expected.add(event.position() + " job." + event.type().wireName());
                    expected.add(event.position() + " job.ended");
                }
                default -> {
                    // Not delivered to webhooks.
                }
            }
        }
        return expected;
    }
}
