package dev.longhaul.server.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.Longhaul;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.JobId;
import dev.longhaul.server.webhook.Receiver.Received;
import dev.longhaul.server.webhook.Receiver.Reply;
import dev.longhaul.webhook.WebhookEvent;
import dev.longhaul.webhook.WebhookSecret;
import dev.longhaul.webhook.WebhookSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed again and again, and a receiver that fails in every way: nothing is lost, and all is in order. */
@Tag("faults")
@Timeout(500)
class WebhookFaultsTest {
    private static final boolean FULL = "full".equals(System.getProperty("longhaul.faults"));
    private static final int KILLS = FULL ? 30 : 3;
    private static final int JOBS_PER_KILL = 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Random random = new Random(Long.getLong("longhaul.seed", 42));
    private final AtomicInteger firstFailures = new AtomicInteger(20);
    private final Map<String, Integer> refused = new ConcurrentHashMap<>();
    /** In the order in which they were taken, as the receiver knows it. */
    private final List<Received> taken = new ArrayList<>();

    private volatile boolean healthy;

    /** Fails 20 times, then hangs, redirects or fails at random, until it is healthy. */
    private Reply answer(Received request) {
        int choice;
        synchronized (random) {
            choice = random.nextInt(8);
        }
        boolean first = firstFailures.getAndDecrement() > 0;
        if (first || (!healthy && choice < 3)) {
            String why = first || choice == 0 ? "500" : choice == 1 ? "hangs" : "redirects";
            refused.merge(why, 1, Integer::sum);
            if (why.equals("hangs")) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(700));
            }
            return why.equals("redirects") ? new Reply(302, "http://127.0.0.1:1/", "") : Reply.of(500);
        }
        synchronized (taken) {
            taken.add(request);
        }
        return Reply.of(204);
    }

    @Test
    void every_event_is_delivered_in_order_although_server_and_receiver_die(@TempDir Path home) throws Exception {
        String secret = WebhookSecret.random();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home))) {
            String url = postgres.jdbcUrl() + (postgres.jdbcUrl().contains("?") ? "&" : "?") + "user=" + postgres.user()
                    + "&password=" + postgres.password();
            try (HikariDataSource pool = ServerToKill.pool(url);
                    Longhaul asking = Longhaul.builder()
                            .postgres(pool)
                            .register(ServerToKill.TELL)
                            .enqueueOnly()
                            .start()) {
                Receiver receiver = new Receiver();
                int port = receiver.port();
                receiver.answers(this::answer);
                asking.store().webhooks().create(UUID.randomUUID(), everything(receiver.url(), secret), null);
                var jobs = new ArrayList<JobId>();
                for (int kill = 0; kill < KILLS; kill++) {
                    receiver = killServer(asking, url, receiver, port, jobs);
                }
                healthy = true;
                Process last = ServerToKill.start(url);
                awaitReady(last);
                awaitAll(asking, jobs);
                last.destroyForcibly().waitFor();
                receiver.close();
                check(asking, jobs, secret);
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

    /** Lets a server run and be killed while it works; now and then the receiver goes too, and comes back. */
    private Receiver killServer(Longhaul asking, String url, Receiver receiver, int port, List<JobId> jobs)
            throws Exception {
        Process server = ServerToKill.start(url);
        awaitReady(server);
        for (int i = 0; i < JOBS_PER_KILL; i++) {
            jobs.add(asking.later(ServerToKill.TELL, new ServerToKill.Told(jobs.size())));
        }
        int pause;
        synchronized (random) {
            pause = 50 + random.nextInt(1000);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pause));
        Receiver next = receiver;
        if (pause % 3 == 0) {
            receiver.close();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
            next = new Receiver(port);
            next.answers(this::answer);
        }
        server.destroyForcibly().waitFor();
        return next;
    }

    /** Waits for the word; what the server says besides, then and later, is of no interest. */
    private static void awaitReady(Process server) throws IOException {
        BufferedReader output = server.inputReader();
        String line;
        do {
            line = output.readLine();
            assertThat(line).as("what the server says").isNotNull();
        } while (!line.equals("ready"));
        var rest = new Thread(() -> output.lines().forEach(more -> {}), "output of " + server.pid());
        rest.setDaemon(true);
        rest.start();
    }

    private static void awaitAll(Longhaul asking, List<JobId> jobs) {
        while (jobs.stream()
                        .anyMatch(id ->
                                !asking.store().find(id).orElseThrow().state().terminal())
                || asking.store().webhooks().backlog().pending() > 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    private void check(Longhaul asking, List<JobId> jobs, String secret) throws Exception {
        var verifier = new Webhook(secret);
        var seen = new HashSet<String>();
        var told = new HashMap<String, List<String>>();
        for (Received one : taken) {
            verifyAtItsTime(verifier, one);
            if (seen.add(one.id())) {
                JsonNode envelope = JSON.readTree(one.body());
                String event = envelope.path("data").path("position").asInt() + " "
                        + envelope.path("type").asText();
                told.computeIfAbsent(envelope.path("subject").asText(), id -> new ArrayList<>())
                        .add(event);
            }
        }
        int events = 0;
        for (JobId id : jobs) {
            List<String> expected = expected(asking, id);
            assertThat(told.get(id.toString())).as("of job %s", id).isEqualTo(expected);
            events += expected.size();
        }
        System.out.printf(
                "[%s] %d kills, %d jobs, %d events, each delivered in order; %d taken, of which %d repeated; refused: %s%n",
                FULL ? "full" : "short", KILLS, jobs.size(), events, taken.size(), taken.size() - seen.size(), refused);
        assertThat(asking.store().webhooks().backlog().parked()).isZero();
    }

    /** The library refuses what is older than five minutes; these tests end before. */
    private static void verifyAtItsTime(Webhook verifier, Received one) throws Exception {
        verifier.verify(one.body(), HttpHeaders.of(one.headers(), (name, value) -> true));
    }

    /** What a job's own events say that webhooks are to be told. A lost run that was the job's last is told as its end only. */
    private static List<String> expected(Longhaul asking, JobId id) {
        var expected = new ArrayList<String>();
        List<JobEvent> events = asking.store().events(EventQuery.of(id));
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
                    // Not told.
                }
            }
        }
        return expected;
    }
}
