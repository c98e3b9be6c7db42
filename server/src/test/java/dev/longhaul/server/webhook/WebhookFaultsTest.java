package dev.longhaul.server.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.Longhaul;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.enqueue.JobOptions;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.JobId;
import dev.longhaul.server.webhook.Receiver.Received;
import dev.longhaul.server.webhook.Receiver.Reply;
import dev.longhaul.webhook.JobWebhook;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed again and again, and a receiver that fails in every way: nothing is lost, and all is in order. */
@Tag("faults")
@Timeout(900)
class WebhookFaultsTest {
    private static final boolean FULL = "full".equals(System.getProperty("longhaul.faults"));
    private static final int KILLS = FULL ? 30 : 3;
    private static final int JOBS_PER_KILL = 20;
    private static final int MOST_BEFORE_KILL = 40;
    /** Every so many jobs bring a webhook of their own. */
    private static final int OWN_EVERY = 3;

    private static final String OWN_SECRET = WebhookSecret.random();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Random random = new Random(Long.getLong("longhaul.seed", 42));
    private final AtomicInteger firstFailures = new AtomicInteger(20);
    private final AtomicInteger requests = new AtomicInteger();
    private final Map<String, Integer> refused = new ConcurrentHashMap<>();
    /** In the order in which they were taken, as the receiver knows it. */
    private final List<Received> taken = new ArrayList<>();

    private final String secret = WebhookSecret.random();
    private final Webhook subscribed;
    private final Webhook own;
    private final List<Received> forged = new CopyOnWriteArrayList<>();

    private volatile boolean healthy;

    WebhookFaultsTest() throws Exception {
        subscribed = new Webhook(secret);
        own = new Webhook(OWN_SECRET);
    }

    /** Fails 20 times, then hangs, redirects or fails at random, until it is healthy. */
    private Reply answer(Received request) {
        requests.incrementAndGet();
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
        if (!genuine(request)) {
            forged.add(request);
        }
        synchronized (taken) {
            taken.add(request);
        }
        return Reply.of(204);
    }

    @Test
    void every_event_is_delivered_in_order_although_server_and_receiver_die(@TempDir Path home) throws Exception {
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
                int before = requests.get();
                healthy = true;
                Process last = ServerToKill.start(url);
                awaitReady(last);
                awaitAll(asking, jobs);
                last.destroyForcibly().waitFor();
                receiver.close();
                System.out.printf("%d of %d requests came while servers were killed%n", before, requests.get());
                check(asking, jobs);
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

    private static JobWebhook ownWebhook(int port) {
        return JobWebhook.to("http://127.0.0.1:" + port + "/own")
                .events(EnumSet.range(WebhookEvent.JOB_STARTED, WebhookEvent.JOB_ENDED))
                .secret(OWN_SECRET);
    }

    /** Lets a server run and be killed while it works; now and then the receiver goes too, and comes back. */
    private Receiver killServer(Longhaul asking, String url, Receiver receiver, int port, List<JobId> jobs)
            throws Exception {
        Process server = ServerToKill.start(url);
        awaitReady(server);
        for (int i = 0; i < JOBS_PER_KILL; i++) {
            JobOptions options = jobs.size() % OWN_EVERY == 0
                    ? JobOptions.options().webhook(ownWebhook(port))
                    : JobOptions.options();
            jobs.add(asking.later(ServerToKill.TELL, new ServerToKill.Told(jobs.size()), options));
        }
        int more;
        synchronized (random) {
            more = 1 + random.nextInt(MOST_BEFORE_KILL);
        }
        awaitRequests(requests.get() + more);
        Receiver next = receiver;
        if (more % 3 == 0) {
            receiver.close();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
            next = new Receiver(port);
            next.answers(this::answer);
        }
        server.destroyForcibly().waitFor();
        return next;
    }

    /** A server that has begun to send is killed in the middle of it, however slow the machine is. One that cannot reach its receiver sends nothing. */
    private void awaitRequests(int many) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (requests.get() < many && System.nanoTime() < until) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
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

    private void check(Longhaul asking, List<JobId> jobs) throws Exception {
        assertThat(forged).isEmpty();
        var seen = new HashSet<String>();
        var told = new HashMap<String, List<String>>();
        for (Received one : taken) {
            if (seen.add(one.id())) {
                JsonNode envelope = JSON.readTree(one.body());
                String event = envelope.path("data").path("position").asInt() + " "
                        + envelope.path("type").asText();
                told.computeIfAbsent(one.path() + envelope.path("subject").asText(), id -> new ArrayList<>())
                        .add(event);
            }
        }
        assertThat(refused.keySet())
                .as("ways to fail that were met")
                .containsAll(FULL ? Set.of("500", "hangs", "redirects") : Set.of("500"));
        int events = 0;
        for (int i = 0; i < jobs.size(); i++) {
            JobId id = jobs.get(i);
            List<String> expected = expected(asking, id);
            assertThat(told.get("/in" + id)).as("of job %s", id).isEqualTo(expected);
            List<String> toItself = i % OWN_EVERY == 0 ? expected : List.of();
            assertThat(told.getOrDefault("/own" + id, List.of()))
                    .as("to the own webhook of job %s", id)
                    .isEqualTo(toItself);
            events += expected.size() + toItself.size();
        }
        System.out.printf(
                "[%s] %d kills, %d jobs, %d events, each delivered in order; %d taken, of which %d repeated; refused: %s%n",
                FULL ? "full" : "short", KILLS, jobs.size(), events, taken.size(), taken.size() - seen.size(), refused);
        assertThat(asking.store().webhooks().backlog().parked()).isZero();
    }

    /** Looked at when it comes: the library refuses what is older than five minutes. */
    private boolean genuine(Received one) {
        try {
            Webhook verifier = one.path().equals("/own") ? own : subscribed;
            verifier.verify(one.body(), HttpHeaders.of(one.headers(), (name, value) -> true));
            return true;
        } catch (WebhookVerificationException e) {
            return false;
        }
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
