package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.webhook.WebhookConfig;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WebhookReceiverTest {
    private static final String SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

    private final JobDefinition<String, String> greet =
            JobDefinition.of("greet", String.class, String.class).handler((name, context) -> "Hello, " + name);

    @Test
    void a_signed_delivery_is_accepted() throws Exception {
        var bodies = new LinkedBlockingQueue<String>();
        var config = ServerConfig.LOCAL.withWebhooks(WebhookConfig.USUAL.withNetworks(List.of("127.0.0.1/32")));
        try (var receiver = new WebhookReceiver(SECRET, bodies::add);
                var longhaul = Longhaul.builder().memory().register(greet).start();
                var server = LonghaulServer.start(longhaul, config)) {
            assertThat(server.port()).isPositive();
            // region one-job
            longhaul.later(
                    greet,
                    "Ann",
                    JobOptions.options()
                            .webhook(JobWebhook.to(receiver.url()).secret(SECRET))); // called when the job has ended
            // endregion

            assertThat(bodies.poll(30, TimeUnit.SECONDS)).contains("\"type\":\"job.succeeded\"");
        }
    }

    @Test
    void other_signatures_are_rejected() {
        assertThat(WebhookReceiver.verify(SECRET, "id.1.{}", "v1,AAAA v1,BBBB")).isFalse();
    }
}
