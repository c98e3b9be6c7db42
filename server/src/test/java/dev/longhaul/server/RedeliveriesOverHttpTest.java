package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.server.webhook.WebhookConfig;
import dev.longhaul.webhook.SendingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Redelivers all failed deliveries. The sender parks them at once, because the loopback address is not allowed. */
class RedeliveriesOverHttpTest {
    private static final SendingRules IMPATIENT =
            new SendingRules(Duration.ofMillis(10), Duration.ofMillis(10), Duration.ZERO, 1000, Duration.ofMillis(10));

    private final Longhaul longhaul = Longhaul.builder().memory().start();
    private final LonghaulServer server = LonghaulServer.start(
            longhaul, Doors.AT_ONCE.withWebhooks(new WebhookConfig(List.of(), 4, Duration.ofSeconds(10), IMPATIENT)));
    private final Api api = new Api(server.port());
    private final String path = "/v1/webhooks/"
            + api.post("/v1/webhooks", "{\"url\":\"https://127.0.0.1:8443/\",\"events\":[\"job.failed\"]}")
                    .json()
                    .path("id")
                    .asText();

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    private List<JsonNode> tested(int times) {
        var all = new ArrayList<JsonNode>();
        for (int i = 0; i < times; i++) {
            all.add(api.post(path + "/test", null).json());
        }
        return all;
    }

    /** Waits until all deliveries are parked after the given number of attempts. */
    private void parked(List<JsonNode> deliveries, int tries) {
        for (JsonNode delivery : deliveries) {
            JsonNode now;
            do {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                now = api.get(path + "/deliveries/" + delivery.path("id").asText())
                        .json();
            } while (!now.path("state").asText().equals("parked")
                    || now.path("attempts").size() != tries);
        }
    }

    private JsonNode redelivered(@Nullable String body) {
        var reply = api.post(path + "/redeliver", body);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        assertThat(reply.json().path("nextAfter").isNull()).isTrue();
        return reply.json().path("redelivered");
    }

    @Test
    void all_parked_deliveries_are_sent_again_and_audited() {
        List<JsonNode> sent = tested(3);
        parked(sent, 1);
        assertThat(redelivered(null).asInt()).isEqualTo(3);
        parked(sent, 2);
        String second = sent.get(1).path("at").asText();
        String third = sent.get(2).path("at").asText();
        String range = "\"after\":\"" + second + "\",\"before\":\"" + third + "\"";
        assertThat(redelivered("{\"state\":\"delivered\"," + range + "}").asInt())
                .isZero();
        assertThat(redelivered("{\"state\":\"parked\"," + range + "}").asInt()).isEqualTo(1);

        JsonNode audit = api.get("/v1/audit").json().path("entries");
        assertThat(audit.findValuesAsText("action")).contains("webhook.redeliver");
        assertThat(audit.findValuesAsText("redelivered")).containsExactly("1", "0", "3");
    }

    @Test
    void pending_deliveries_may_be_requested() {
        assertThat(redelivered("{\"state\":\"pending\"}").asInt()).isZero();
    }

    @Test
    void an_invalid_request_is_refused() {
        assertThat(api.post(path + "/redeliver", "{\"state\":\"lost\",\"more\":1}")
                        .body())
                .contains("parked, pending or delivered")
                .contains("unknown field");
        assertThat(api.post(path + "/redeliver", "{\"state\":\"delivered\"}").body())
                .contains("so that not all delivered events are sent again");
        assertThat(api.post("/v1/webhooks/nonsense/redeliver", null).status()).isEqualTo(404);
    }
}
