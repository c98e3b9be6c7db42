package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.WebhookSecret;
import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.webhook.WebhookConfig;
import dev.longhaul.webhook.SendingRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhooksTest {
    private static final SendingRules IMPATIENT =
            new SendingRules(Duration.ofMillis(10), Duration.ofMillis(10), Duration.ZERO, 1000, Duration.ofMillis(10));

    private ServerFixture server = new ServerFixture();

    @AfterEach
    void close() {
        server.close();
    }

    private ServerFixture.Done webhooks(String... arguments) {
        var all = new String[arguments.length + 1];
        all[0] = "webhooks";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return server.run(all);
    }

    @Test
    void creates_a_webhook_shows_its_secret_once_and_deletes_it() {
        List<String> made = webhooks(
                        "create",
                        "https://127.0.0.1:8443/in",
                        "--event=job.failed,job.ended",
                        "--queue=slow",
                        "--definition=test.echo",
                        "--label=team=a")
                .exitsWith(0)
                .lines();
        String id = made.get(0);
        assertThat(made.get(1)).startsWith("whsec_");

        assertThat(webhooks("list").exitsWith(0).out())
                .contains(id, "https://127.0.0.1:8443/in", "job.ended,job.failed", "enabled")
                .doesNotContain("whsec_");
        assertThat(webhooks("edit", id, "--enabled=false").exitsWith(0).out()).contains("disabled");
        assertThat(webhooks("delete", id).exitsWith(0).out()).isEqualTo(id + " deleted\n");
        webhooks("delete", id).exitsWith(4);
        webhooks("create", "ftp://x", "--event=job.failed").exitsWith(2);
    }

    @Test
    void shows_a_webhook_and_removes_its_filters() {
        String id = webhooks(
                        "create",
                        "https://127.0.0.1:8443/in",
                        "--event=job.failed",
                        "--queue=slow",
                        "--definition=test.echo",
                        "--label=team=a")
                .exitsWith(0)
                .lines()
                .get(0);
        assertThat(webhooks("get", id).exitsWith(0).out())
                .containsPattern("definitionKeys +test.echo")
                .containsPattern("queues +slow")
                .containsPattern("labels +team=a");
        webhooks("edit", id, "--definition=none").exitsWith(0);
        assertThat(webhooks("get", id).exitsWith(0).out())
                .containsPattern("definitionKeys +all")
                .containsPattern("queues +slow");
        assertThat(webhooks("edit", id, "--label=team").exitsWith(2).err()).contains("KEY=VALUE, or none");
        webhooks("edit", id, "--queue=none", "--label=none").exitsWith(0);
        assertThat(webhooks("get", id).exitsWith(0).out())
                .containsPattern("queues +all")
                .doesNotContain("labels", "whsec_");
        webhooks("get", UUID.randomUUID().toString()).exitsWith(4);
    }

    @Test
    void reports_that_a_disabled_webhook_cannot_be_tested() {
        String id = webhooks("create", "https://127.0.0.1:8443/in", "--event=job.failed")
                .exitsWith(0)
                .lines()
                .get(0);
        webhooks("edit", id, "--enabled=false").exitsWith(0);
        assertThat(webhooks("test", id).exitsWith(5).err()).contains("enable it first");
    }

    @Test
    void reads_secrets_from_a_file_and_rotates_them(@TempDir Path directory) throws IOException {
        String first = WebhookSecret.random();
        String second = WebhookSecret.random();
        Path file = Files.writeString(directory.resolve("secret"), first + "\n");
        ServerFixture.Done made = webhooks(
                        "create", "https://127.0.0.1:8443/in", "--event=job.failed", "--secret-file=" + file)
                .exitsWith(0);
        assertThat(made.lines()).hasSize(1);
        UUID id = UUID.fromString(made.lines().get(0));
        assertThat(secrets(id)).containsExactly(first);

        Files.writeString(file, second + "\n\n  " + first);
        webhooks("edit", id.toString(), "--secret-file=" + file).exitsWith(0);
        assertThat(secrets(id)).containsExactly(second, first);
        Files.writeString(file, second);
        assertThat(webhooks("edit", id.toString(), "--secret-file=" + file)
                        .exitsWith(0)
                        .out())
                .doesNotContain("whsec_");
        assertThat(secrets(id)).containsExactly(second);

        Files.writeString(file, "not-a-good-one");
        assertThat(webhooks("edit", id.toString(), "--secret-file=" + file)
                        .exitsWith(2)
                        .err())
                .contains("whsec_ and 24 to 64 bytes")
                .doesNotContain("not-a-good-one");
        Files.writeString(file, "");
        webhooks("edit", id.toString(), "--secret-file=" + file).exitsWith(2);
        assertThat(webhooks("edit", id.toString(), "--secret-file=" + directory.resolve("none"))
                        .exitsWith(2)
                        .err())
                .contains("a readable text file");
        assertThat(secrets(id)).containsExactly(second);
    }

    private List<String> secrets(UUID id) {
        return server.longhaul()
                .store()
                .webhooks()
                .find(id)
                .orElseThrow()
                .spec()
                .secrets();
    }

    @Test
    void of_one_job_show_under_their_host(@TempDir Path directory) throws IOException {
        server.run(
                        "submit",
                        "test.echo",
                        "--params={\"text\":\"a\",\"number\":1}",
                        "--webhook=https://127.0.0.1:8443/7",
                        "--webhook-event=job.started",
                        "--wait")
                .exitsWith(0);
        ServerFixture.Done list = webhooks("list").exitsWith(0);
        assertThat(list.out()).contains("https://127.0.0.1:8443/", "set per job");
        String id = list.lines().get(1).split(" ", 2)[0];
        assertThat(webhooks("deliveries", id).exitsWith(0).lines())
                .hasSize(2)
                .last()
                .asString()
                .contains("job.started");
        server.run("submit", "test.echo", "--webhook-event=job.started").exitsWith(2);
        Path secret = Files.writeString(directory.resolve("secret-of-a-job"), "no secret\n");
        ServerFixture.Done refused =
                server.run("submit", "test.echo", "--webhook=https://x/", "--webhook-secret-file=" + secret);
        assertThat(refused.exitsWith(2).err())
                .contains("webhook.secret", "whsec_")
                .doesNotContain("no secret");
        Files.writeString(secret, "whsec_" + "A".repeat(32) + "\n");
        server.run(
                        "submit",
                        "test.echo",
                        "--params={\"text\":\"a\",\"number\":1}",
                        "--webhook=https://x/",
                        "--webhook-secret-file=" + secret)
                .exitsWith(0);
        server.run("submit", "test.echo", "--webhook=ftp://x").exitsWith(2);
    }

    /** Loopback is rejected, so the delivery fails with a reason. */
    @Test
    void sends_a_test_event_and_shows_its_attempts() {
        String id = webhooks("create", "https://127.0.0.1:8443/in", "--event=job.failed")
                .exitsWith(0)
                .lines()
                .get(0);
        String delivery = webhooks("test", id).exitsWith(0).out().strip();
        assertThat(webhooks("deliveries", id).exitsWith(0).out()).contains(delivery, "webhook.test", "pending");
        ServerFixture.Done shown = webhooks("show", id, delivery).exitsWith(0);
        while (!shown.out().contains("expected: a public address")) {
            Thread.onSpinWait();
            shown = webhooks("show", id, delivery).exitsWith(0);
        }
        assertThat(webhooks("list").exitsWith(0).out()).containsPattern("failing \\([1-9] in a row\\)");
        assertThat(webhooks("redeliver", id, delivery).exitsWith(0).out()).contains(delivery, "pending");
    }

    /** The sender gives up immediately. */
    @Test
    void redelivers_all_parked_deliveries() {
        server.close();
        server = new ServerFixture(ServerConfig.LOCAL
                .withDrain(Duration.ZERO)
                .withWebhooks(new WebhookConfig(List.of(), 4, Duration.ofSeconds(10), IMPATIENT)));
        String id = webhooks("create", "https://127.0.0.1:8443/in", "--event=job.failed")
                .exitsWith(0)
                .lines()
                .get(0);
        String delivery = webhooks("test", id).exitsWith(0).out().strip();
        while (!webhooks("show", id, delivery).exitsWith(0).out().contains("parked")) {
            Thread.onSpinWait();
        }
        assertThat(webhooks("redeliver", id, "--state=parked", "--before=2000-01-01T00:00:00Z")
                        .exitsWith(0)
                        .out())
                .isEqualTo("0 redelivered\n");
        assertThat(webhooks("redeliver", id, "--state=parked").exitsWith(0).out())
                .isEqualTo("1 redelivered\n");
        webhooks("redeliver", id).exitsWith(2);
        webhooks("redeliver", id, delivery, "--state=parked").exitsWith(2);
        webhooks("redeliver", id, delivery, "--after=2000-01-01T00:00:00Z").exitsWith(2);
        webhooks("redeliver", id, "--state=delivered").exitsWith(2);
    }
}
