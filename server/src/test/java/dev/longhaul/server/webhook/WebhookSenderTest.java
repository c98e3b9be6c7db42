package dev.longhaul.server.webhook;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.server.webhook.Receiver.Received;
import dev.longhaul.server.webhook.Receiver.Reply;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.SendingRules;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.Transition;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WebhookSenderTest {
    private static final DefinitionRef REPORT = new DefinitionRef("report", 1);
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SendingRules QUICK = new SendingRules(
            Duration.ofMillis(20), Duration.ofMillis(40), Duration.ofMinutes(5), 1000, Duration.ofMillis(50));
    private static final WebhookConfig LOOPBACK =
            new WebhookConfig(List.of("127.0.0.0/8", "::1/128"), 4, Duration.ofSeconds(2), QUICK);

    private final MemoryStore store = new MemoryStore();
    private final Receiver receiver = new Receiver();
    private final List<AutoCloseable> open = new ArrayList<>(List.of(receiver));

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        store.close();
    }

    private void sendWith(WebhookConfig config) {
        open.add(0, WebhookSender.start(store.deliveries(), store.work(), config, Tracing.OFF));
    }

    private Webhook subscribed(String url, String secret, WebhookEvent... events) {
        var spec = new WebhookSpec(url, Set.of(events), Set.of(), Set.of(), Map.of(), List.of(secret));
        return store.webhooks().create(UUID.randomUUID(), spec, null);
    }

    private Webhook subscribed(WebhookEvent... events) {
        return subscribed(receiver.url(), WebhookSecret.random(), events);
    }

    private JobId succeeded() {
        return succeeded(JobSpec.of(REPORT, "{\"password\":\"hunter2\"}"));
    }

    private JobId succeeded(JobSpec.Builder spec) {
        store.jobs().insert(List.of(spec.build()));
        var claimed = store.work()
                .claim(ClaimRequest.of("w", List.of(JobSpec.DEFAULT_QUEUE), null, 1, LEASE))
                .get(0);
        store.work().apply(List.of(Transition.succeed(claimed.claim(), "{\"card\":\"4111\"}")));
        return claimed.job().id();
    }

    private Delivery ended(UUID webhookId) {
        while (true) {
            List<Delivery> all = store.webhooks().deliveries(webhookId, null, null, 10);
            if (!all.isEmpty() && all.stream().allMatch(one -> one.state() != Delivery.State.PENDING)) {
                return all.get(0);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private DeliveryTry lastTry(UUID webhookId) {
        while (true) {
            for (Delivery one : store.webhooks().deliveries(webhookId, null, null, 10)) {
                List<DeliveryTry> tries = store.webhooks().tries(one.id());
                if (!tries.isEmpty()) {
                    return tries.get(tries.size() - 1);
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Nested
    class Sends {
        @Test
        void a_small_envelope_without_params_and_result() throws Exception {
            Webhook webhook = subscribed(WebhookEvent.JOB_SUCCEEDED);
            sendWith(LOOPBACK);
            JobId id = succeeded(JobSpec.of(REPORT, "{\"password\":\"hunter2\"}")
                    .correlationId("c-1")
                    .labels(Map.of("team", "red")));
            Received sent = receiver.next();
            Delivery delivery = ended(webhook.id());

            assertThat(delivery.state()).isEqualTo(Delivery.State.DELIVERED);
            JsonNode envelope = JSON.readTree(sent.body());
            assertThat(envelope.path("specversion").asText()).isEqualTo("1.0");
            assertThat(envelope.path("type").asText()).isEqualTo("job.succeeded");
            assertThat(envelope.path("id").asText())
                    .isEqualTo(sent.id())
                    .isEqualTo(delivery.id().toString());
            assertThat(envelope.path("subject").asText()).isEqualTo(id.toString());
            JsonNode data = envelope.path("data");
            assertThat(data.path("definitionKey").asText()).isEqualTo("report");
            assertThat(data.path("correlationId").asText()).isEqualTo("c-1");
            assertThat(data.path("labels").path("team").asText()).isEqualTo("red");
            assertThat(sent.body()).doesNotContain("hunter2").doesNotContain("4111");
            assertThat(sent.path()).isEqualTo("/in");
        }

        @Test
        void signatures_that_the_reference_library_verifies_with_both_secrets() throws Exception {
            String first = WebhookSecret.random();
            String second = WebhookSecret.random();
            var spec = new WebhookSpec(
                    receiver.url(),
                    Set.of(WebhookEvent.JOB_SUCCEEDED),
                    Set.of(),
                    Set.of(),
                    Map.of(),
                    List.of(first, second));
            store.webhooks().create(UUID.randomUUID(), spec, null);
            sendWith(LOOPBACK);
            succeeded();
            Received sent = receiver.next();

            HttpHeaders headers = HttpHeaders.of(sent.headers(), (name, value) -> true);
            new com.standardwebhooks.Webhook(first).verify(sent.body(), headers);
            new com.standardwebhooks.Webhook(second).verify(sent.body(), headers);
            assertThatThrownBy(
                            () -> new com.standardwebhooks.Webhook(WebhookSecret.random()).verify(sent.body(), headers))
                    .isInstanceOf(WebhookVerificationException.class);
            assertThatThrownBy(() -> new com.standardwebhooks.Webhook(first).verify(sent.body() + " ", headers))
                    .isInstanceOf(WebhookVerificationException.class);
        }

        @Test
        void again_with_the_same_id_until_it_is_accepted_and_in_order() throws Exception {
            Webhook webhook = subscribed(WebhookEvent.JOB_STARTED, WebhookEvent.JOB_SUCCEEDED, WebhookEvent.JOB_ENDED);
            var failures = new AtomicInteger(20);
            receiver.answers(request -> Reply.of(failures.getAndDecrement() > 0 ? 500 : 200));
            sendWith(LOOPBACK);
            succeeded();
            ended(webhook.id());

            var types = new ArrayList<String>();
            var ids = new ArrayList<String>();
            for (Received sent : receiver.received()) {
                types.add(JSON.readTree(sent.body()).path("type").asText());
                ids.add(sent.id());
            }
            assertThat(types).hasSize(23);
            assertThat(types.subList(0, 21)).containsOnly("job.started");
            assertThat(types.subList(21, 23)).containsExactly("job.succeeded", "job.ended");
            assertThat(Set.copyOf(ids)).hasSize(3);
        }

        /** Although the retry pauses had grown to minutes before. */
        @Test
        void again_after_the_first_pause_when_it_is_redelivered() throws Exception {
            Webhook webhook = subscribed(WebhookEvent.JOB_SUCCEEDED);
            succeeded();
            for (int number = 1; number <= 15; number++) {
                UUID id = store.deliveries()
                        .take(Map.of(), 1, 1, QUICK, LEASE)
                        .get(0)
                        .delivery()
                        .id();
                var failed = new DeliveryTry(number, Instant.EPOCH, Duration.ZERO, 500, "status 500", null);
                store.deliveries().tried(id, failed, Duration.ZERO, QUICK);
            }
            store.webhooks()
                    .redeliver(store.webhooks()
                            .deliveries(webhook.id(), null, null, 1)
                            .get(0)
                            .id());
            var failures = new AtomicInteger(2);
            receiver.answers(request -> Reply.of(failures.getAndDecrement() > 0 ? 500 : 200));
            sendWith(new WebhookConfig(
                    LOOPBACK.networks(),
                    4,
                    Duration.ofSeconds(2),
                    new SendingRules(
                            QUICK.firstPause(), Duration.ofHours(1), Duration.ofHours(24), 1000, QUICK.breakFor())));
            for (int i = 0; i < 3; i++) {
                receiver.next();
            }
            assertThat(ended(webhook.id()).tries()).isEqualTo(18);
        }

        @Test
        void nothing_to_the_target_of_a_redirect() throws Exception {
            Webhook webhook = subscribed(WebhookEvent.JOB_SUCCEEDED);
            try (Receiver canary = new Receiver()) {
                receiver.answers(request -> new Reply(307, canary.url(), ""));
                sendWith(LOOPBACK);
                succeeded();
                receiver.next();
                receiver.next();
                assertThat(canary.received()).isEmpty();
                assertThat(lastTry(webhook.id()).error()).isEqualTo("status: 307 (expected: 2xx)");
            }
        }

        @Test
        void to_others_while_one_hangs() throws Exception {
            try (Receiver hanging = new Receiver()) {
                var hold = new CountDownLatch(1);
                hanging.answers(request -> {
                    await(hold);
                    return Reply.of(204);
                });
                subscribed(hanging.url(), WebhookSecret.random(), WebhookEvent.JOB_SUCCEEDED);
                Webhook healthy = subscribed(WebhookEvent.JOB_SUCCEEDED);
                sendWith(new WebhookConfig(LOOPBACK.networks(), 2, Duration.ofSeconds(30), QUICK));
                for (int i = 0; i < 20; i++) {
                    succeeded();
                }
                for (int i = 0; i < 20; i++) {
                    receiver.next();
                }
                ended(healthy.id());
                assertThat(hanging.received()).hasSizeLessThanOrEqualTo(2);
                hold.countDown();
            }
        }

        @Test
        void and_does_not_read_endless_responses() throws Exception {
            Webhook webhook = subscribed(WebhookEvent.JOB_SUCCEEDED);
            receiver.answers(request -> new Reply(200, "", "x".repeat(10_000_000)));
            sendWith(LOOPBACK);
            succeeded();
            assertThat(ended(webhook.id()).state()).isEqualTo(Delivery.State.DELIVERED);
            DeliveryTry last = lastTry(webhook.id());
            assertThat(last.status()).isEqualTo(200);
            assertThat(last.head()).isEqualTo("x".repeat(DeliveryTry.HEAD));
        }

        @Test
        void and_waits_no_longer_than_the_timeout_for_the_body() throws Exception {
            try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Webhook webhook = subscribed(
                        "http://127.0.0.1:" + listening.getLocalPort() + "/",
                        WebhookSecret.random(),
                        WebhookEvent.JOB_SUCCEEDED);
                sendWith(new WebhookConfig(LOOPBACK.networks(), 1, Duration.ofMillis(500), QUICK));
                succeeded();
                try (Socket connection = listening.accept()) {
                    connection
                            .getOutputStream()
                            .write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx".getBytes(US_ASCII));
                    DeliveryTry last = lastTry(webhook.id());
                    assertThat(last.succeeded()).isTrue();
                    assertThat(last.status()).isEqualTo(200);
                    assertThat(last.head()).isEqualTo("x");
                }
            }
        }

        @Test
        void not_forever_to_a_receiver_that_is_gone() throws Exception {
            Webhook webhook = subscribed(WebhookEvent.JOB_SUCCEEDED);
            receiver.answers(request -> Reply.of(500));
            for (int i = 0; i < 5; i++) {
                succeeded();
            }
            var rules = new SendingRules(
                    QUICK.firstPause(), QUICK.longestPause(), Duration.ofMillis(300), 1, Duration.ofHours(1));
            sendWith(new WebhookConfig(LOOPBACK.networks(), 1, Duration.ofSeconds(2), rules));
            assertThat(ended(webhook.id()).state()).isEqualTo(Delivery.State.PARKED);
            assertThat(store.webhooks().deliveries(webhook.id(), Delivery.State.PARKED, null, 10))
                    .extracting(Delivery::tries)
                    .containsExactlyInAnyOrder(1, 0, 0, 0, 0);
        }

        @Test
        void and_reports_a_refused_connection() throws Exception {
            int port = receiver.port();
            receiver.close();
            Webhook webhook =
                    subscribed("http://127.0.0.1:" + port + "/", WebhookSecret.random(), WebhookEvent.JOB_SUCCEEDED);
            sendWith(LOOPBACK);
            succeeded();
            assertThat(lastTry(webhook.id()).error())
                    .startsWith("connection: refused")
                    .contains("127.0.0.1:" + port);
        }

        @Test
        void the_error_of_a_job_that_is_retried() throws Exception {
            subscribed(WebhookEvent.JOB_RETRYING);
            sendWith(LOOPBACK);
            store.jobs().insert(List.of(JobSpec.of(REPORT, "{}").build()));
            var claimed = store.work()
                    .claim(ClaimRequest.of("w", List.of(JobSpec.DEFAULT_QUEUE), null, 1, LEASE))
                    .get(0);
            store.work()
                    .apply(List.of(Transition.retry(
                            claimed.claim(), RunAt.after(LEASE), Failure.of(Failure.EXCEPTION, "no luck"))));
            JsonNode data = JSON.readTree(receiver.next().body()).path("data");
            assertThat(data.path("error").path("code").asText()).isEqualTo("exception");
            assertThat(data.path("error").path("message").asText()).isEqualTo("no luck");
        }
    }

    @Nested
    class Logs {
        private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
        private final Logger logger = (Logger) LoggerFactory.getLogger(WebhookSender.class);

        @BeforeEach
        void listen() {
            appender.start();
            logger.addAppender(appender);
            logger.setLevel(Level.INFO);
        }

        @AfterEach
        void detach() {
            logger.detachAppender(appender);
            logger.setLevel(null);
        }

        /** The lines logged until the webhook had no pending deliveries; they contain only the URL's host. */
        private List<String> linesOf(SendingRules rules) throws Exception {
            Webhook webhook =
                    subscribed(receiver.url() + "?token=s3cret", WebhookSecret.random(), WebhookEvent.JOB_SUCCEEDED);
            sendWith(new WebhookConfig(LOOPBACK.networks(), 4, Duration.ofSeconds(2), rules));
            succeeded();
            ended(webhook.id());
            open.remove(0).close();
            List<String> lines = appender.list.stream()
                    .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                    .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                    .toList();
            assertThat(lines).allMatch(line -> line.contains(" webhook " + webhook.id() + " (127.0.0.1): "));
            return lines;
        }

        @Test
        void once_that_a_receiver_fails_and_once_that_it_recovered() throws Exception {
            var failures = new AtomicInteger(6);
            receiver.answers(request -> Reply.of(failures.getAndDecrement() > 0 ? 503 : 200));
            var rules = new SendingRules(
                    Duration.ofMillis(10), Duration.ofMillis(10), Duration.ofMinutes(5), 3, Duration.ofMillis(10));
            List<String> lines = linesOf(rules);
            assertThat(lines).hasSize(2).noneMatch(line -> line.contains("s3cret"));
            assertThat(lines.get(0)).startsWith("WARN").contains("3 failed attempts in a row", "status 503");
            assertThat(lines.get(1)).startsWith("INFO").contains("available again");
        }

        @Test
        void that_a_delivery_is_parked() throws Exception {
            receiver.answers(request -> Reply.of(500));
            var rules = new SendingRules(
                    Duration.ofMillis(10), Duration.ofMillis(10), Duration.ZERO, 3, Duration.ofMillis(10));
            assertThat(linesOf(rules))
                    .singleElement()
                    .asString()
                    .startsWith("WARN")
                    .contains("is parked", "status 500")
                    .doesNotContain("s3cret");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
