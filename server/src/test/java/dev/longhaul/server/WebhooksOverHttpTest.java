package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.server.webhook.WebhookConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WebhooksOverHttpTest {
    private final Longhaul longhaul = Longhaul.builder()
            .memory()
            .register(JobDefinition.of("test.echo", Map.class, Map.class).handler((params, run) -> params))
            .start();
    private final LonghaulServer server = LonghaulServer.start(
            longhaul, Doors.AT_ONCE.withWebhooks(WebhookConfig.USUAL.withNetworks(List.of("127.0.0.0/8"))));
    private final Api api = new Api(server.port());
    private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final AtomicInteger status = new AtomicInteger(204);
    private final HttpServer receiver;

    WebhooksOverHttpTest() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void listen() {
        receiver.createContext("/", exchange -> {
            try (exchange) {
                String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
                exchange.sendResponseHeaders(status.get(), -1);
                received.add(body);
            }
        });
        receiver.start();
    }

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
        receiver.stop(0);
    }

    private String url() {
        return "http://127.0.0.1:" + receiver.getAddress().getPort() + "/in";
    }

    private JsonNode created(String more) {
        var reply = api.post("/v1/webhooks", "{\"url\":\"" + url() + "\",\"events\":[\"job.succeeded\"]" + more + "}");
        assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        return reply.json();
    }

    private JsonNode next() throws Exception {
        String body = received.poll(20, TimeUnit.SECONDS);
        assertThat(body).isNotNull();
        return Api.JSON.readTree(body);
    }

    /** Waits until the only delivery is in the state, and returns it. */
    private JsonNode delivery(String webhookId, String state) {
        while (true) {
            JsonNode page = api.get("/v1/webhooks/" + webhookId + "/deliveries?state=" + state)
                    .json();
            if (page.path("deliveries").size() == 1) {
                return page.path("deliveries").get(0);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void a_webhook_is_created_shown_changed_and_deleted() {
        JsonNode made = created(",\"queues\":[\"default\"]");
        String path = "/v1/webhooks/" + made.path("id").asText();

        assertThat(made.path("secret").asText()).startsWith("whsec_");
        assertThat(api.get(path).body()).doesNotContain("whsec_");
        assertThat(api.get("/v1/webhooks").json().path("webhooks")).hasSize(1);
        JsonNode edited = api.send("PATCH", path, "{\"events\":[\"job.failed\"],\"enabled\":false,\"queues\":[]}")
                .json();
        assertThat(edited.path("events").get(0).asText()).isEqualTo("job.failed");
        assertThat(edited.path("enabled").asBoolean()).isFalse();
        assertThat(edited.path("queues")).isEmpty();
        assertThat(edited.path("url").asText()).isEqualTo(url());
        assertThat(api.send("DELETE", path, null).status()).isEqualTo(204);
        assertThat(api.get(path).status()).isEqualTo(404);
    }

    @Test
    void an_invalid_one_gets_all_problems_at_once_and_no_secret() {
        var reply = api.post(
                "/v1/webhooks",
                "{\"url\":\"ftp://x\",\"events\":[\"job.exploded\"],\"secrets\":[\"my-secret\"],\"more\":1}");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.body())
                .contains("https://host/path, without user")
                .contains("job.exploded")
                .contains("unknown field")
                .contains("whsec_ and 24")
                .doesNotContain("my-secret");
    }

    @Test
    void an_event_is_delivered_and_shown_with_its_attempts() throws Exception {
        String id = created("").path("id").asText();
        String jobId = api.post("/v1/jobs", "{\"definitionKey\":\"test.echo\"}")
                .json()
                .path("jobId")
                .asText();

        assertThat(next().path("subject").asText()).isEqualTo(jobId);
        JsonNode delivery = delivery(id, "delivered");
        assertThat(delivery.path("jobId").asText()).isEqualTo(jobId);
        JsonNode whole = api.get("/v1/webhooks/" + id + "/deliveries/"
                        + delivery.path("id").asText())
                .json();
        assertThat(whole.path("attempts").get(0).path("status").asInt()).isEqualTo(204);
    }

    @Test
    void a_job_calls_its_own_webhook_and_a_repeated_request_creates_no_second_one() throws Exception {
        String job = "{\"definitionKey\":\"test.echo\",\"idempotencyKey\":\"k\",\"webhook\":{\"url\":\"" + url()
                + "/7\",\"secret\":\"" + WebhookSecret.random() + "\"}}";
        var reply = api.post("/v1/jobs", job);
        assertThat(reply.status()).as(reply.body()).isEqualTo(202);
        assertThat(api.post("/v1/jobs", job).json().path("jobId"))
                .isEqualTo(reply.json().path("jobId"));
        JsonNode delivered = next();
        assertThat(delivered.path("subject")).isEqualTo(reply.json().path("jobId"));
        assertThat(delivered.path("type").asText()).isEqualTo("job.succeeded");

        JsonNode shared = api.get("/v1/webhooks").json().path("webhooks");
        assertThat(shared).hasSize(1);
        String id = shared.get(0).path("id").asText();
        assertThat(shared.get(0).path("ofJobs").asBoolean()).isTrue();
        JsonNode delivery = delivery(id, "delivered");
        assertThat(delivery.path("url").asText()).isEqualTo(url() + "/7");
        String everything = reply.body()
                + shared
                + delivery
                + api.get("/v1/jobs/" + reply.json().path("jobId").asText() + "?view=full")
                        .body();
        assertThat(everything).doesNotContain("whsec_");
        assertThat(api.send("PATCH", "/v1/webhooks/" + id, "{\"events\":[\"job.failed\"]}")
                        .status())
                .isEqualTo(400);
        assertThat(api.send("PATCH", "/v1/webhooks/" + id, "{\"enabled\":false}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void jobs_of_a_batch_call_their_own_webhooks() throws Exception {
        String job =
                "{\"definitionKey\":\"test.echo\",\"webhook\":{\"url\":\"" + url() + "\",\"events\":[\"job.ended\"]}}";
        JsonNode jobs = api.post(
                        "/v1/jobs/batch", "{\"jobs\":[" + job + "," + job + ",{\"definitionKey\":\"test.echo\"}]}")
                .json()
                .path("jobs");
        List<JsonNode> delivered = List.of(next(), next());
        assertThat(delivered)
                .allMatch(one -> one.path("data").path("status").asText().equals("succeeded"));
        assertThat(List.of(delivered.get(0).path("subject"), delivered.get(1).path("subject")))
                .containsExactlyInAnyOrder(
                        jobs.get(0).path("jobId"), jobs.get(1).path("jobId"));
        assertThat(received.poll(100, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void an_invalid_webhook_of_a_job_is_reported_without_its_secret() {
        var reply = api.post(
                "/v1/jobs",
                "{\"definitionKey\":\"test.echo\",\"webhook\":{\"url\":\"http://2130706433/\",\"events\":[\"queue.stalled\"],"
                        + "\"secret\":\"my-secret\",\"more\":1}}");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.body())
                .contains("webhook.url")
                .contains("webhook.events")
                .contains("webhook.secret")
                .contains("webhook.more")
                .doesNotContain("my-secret");
        assertThat(api.post("/v1/jobs", "{\"definitionKey\":\"test.echo\",\"webhook\":{}}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void a_test_is_sent_and_sent_again() throws Exception {
        String path = "/v1/webhooks/" + created("").path("id").asText();
        var reply = api.post(path + "/test", null);
        assertThat(reply.status()).isEqualTo(202);
        assertThat(next().path("type").asText()).isEqualTo("webhook.test");
        String delivery = path + "/deliveries/"
                + delivery(path.substring(13), "delivered").path("id").asText();
        assertThat(reply.header("Location")).isEqualTo(delivery);

        assertThat(api.post(delivery + "/redeliver", null).status()).isEqualTo(202);
        assertThat(next().path("id").asText()).isEqualTo(reply.json().path("id").asText());
    }

    @Test
    void a_test_of_one_that_is_disabled_is_refused() {
        String path = "/v1/webhooks/" + created("").path("id").asText();
        api.send("PATCH", path, "{\"enabled\":false}");
        var reply = api.post(path + "/test", null);
        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.json().path("code").asText()).isEqualTo("failed_precondition");
        assertThat(reply.body()).contains("enable it first");
        assertThat(api.get(path + "/deliveries").json().path("deliveries")).isEmpty();
    }

    /** Concurrent edits of different fields. */
    @Test
    void edits_at_the_same_time_do_not_undo_each_other() {
        String path = "/v1/webhooks/" + created("").path("id").asText();
        for (int i = 0; i < 50; i++) {
            String queue = "q" + i;
            boolean enabled = i % 2 == 0;
            var other = CompletableFuture.runAsync(() -> api.send("PATCH", path, "{\"enabled\":" + enabled + "}"));
            api.send("PATCH", path, "{\"queues\":[\"" + queue + "\"]}");
            other.join();
            JsonNode both = api.get(path).json();
            assertThat(both.path("queues").path(0).asText()).isEqualTo(queue);
            assertThat(both.path("enabled").asBoolean()).isEqualTo(enabled);
        }
    }

    @Test
    void a_failed_delivery_waits_until_it_is_redelivered() throws Exception {
        status.set(500);
        String path = "/v1/webhooks/" + created("").path("id").asText();
        String id = api.post(path + "/test", null).json().path("id").asText();
        next();
        while (api.get(path + "/deliveries/" + id).json().path("attempts").isEmpty()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        Instant alone = Instant.parse(
                delivery(path.substring(13), "pending").path("nextTryAt").asText());

        var again = api.post(path + "/deliveries/" + id + "/redeliver", null);
        assertThat(again.status()).isEqualTo(202);
        assertThat(again.json().path("state").asText()).isEqualTo("pending");
        assertThat(Instant.parse(again.json().path("nextTryAt").asText())).isBefore(alone);
        next();
        assertThat(api.get(path + "/deliveries?cursor=nonsense").status()).isEqualTo(400);
        assertThat(api.get(path + "/deliveries?state=nonsense").status()).isEqualTo(400);
        assertThat(api.post("/v1/webhooks/nonsense/test", null).status()).isEqualTo(404);
    }
}
