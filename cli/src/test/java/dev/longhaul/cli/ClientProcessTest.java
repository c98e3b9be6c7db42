package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.WebhookSecret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour that needs a separate process: environment, standard input, and signals. */
class ClientProcessTest {
    @Test
    void server_and_key_come_from_the_environment_and_params_from_standard_input() throws Exception {
        try (var server = new ServerFixture()) {
            String key = server.run("keys", "create", "--role=submitter", "--name=ci")
                    .exitsWith(0)
                    .out()
                    .strip();
            var environment = Map.of("LONGHAUL_URL", server.url(), "LONGHAUL_KEY", key);
            Process submit = start(environment, "submit", "test.echo", "--params", "-", "--wait");
            submit.getOutputStream().write("{\"text\":\"\u00fc\",\"number\":1}".getBytes(UTF_8));
            submit.getOutputStream().close();
            String out = new String(submit.getInputStream().readAllBytes(), UTF_8);
            assertThat(submit.waitFor()).as(out).isZero();
            assertThat(out.lines().toList().get(2)).isEqualTo("{\"text\":\"\u00fc\",\"number\":1}");
            Process refused = start(Map.of("LONGHAUL_URL", server.url()), "list");
            refused.getInputStream().readAllBytes();
            assertThat(refused.waitFor()).isEqualTo(3);
        }
    }

    @Test
    void the_secret_of_a_webhook_comes_from_standard_input() throws Exception {
        try (var server = new ServerFixture()) {
            String secret = WebhookSecret.random();
            var environment = Map.of("LONGHAUL_URL", server.url());
            Process create = start(
                    environment,
                    "webhooks",
                    "create",
                    "https://x.example/",
                    "--event",
                    "job.failed",
                    "--secret-file",
                    "-");
            create.getOutputStream().write((secret + "\n").getBytes(UTF_8));
            create.getOutputStream().close();
            String out = new String(create.getInputStream().readAllBytes(), UTF_8);
            assertThat(create.waitFor()).as(out).isZero();
            assertThat(server.longhaul().store().webhooks().list().get(0).spec().secrets())
                    .containsExactly(secret);
        }
    }

    @Test
    void a_database_comes_from_the_environment_unless_a_server_is_given(@TempDir Path directory) throws Exception {
        try (var server = new ServerFixture();
                var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory.resolve("data")))) {
            String store = "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:" + postgres.port()
                    + "/postgres";
            var database = Map.of("LONGHAUL_STORE", store);
            assertThat(output(start(database, "keys", "create", "--role=admin", "--name=first")))
                    .contains("first, admin");
            assertThat(output(start(database, "keys", "list"))).contains("first");
            assertThat(output(start(database, "export"))).contains("\"first\"");
            assertThat(output(start(Map.of("LONGHAUL_STORE", store, "LONGHAUL_URL", server.url()), "keys", "list")))
                    .doesNotContain("first");
            postgres.crashServer();
        }
    }

    private static String output(Process process) throws IOException, InterruptedException {
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out;
    }

    @Test
    @Tag("full")
    void an_interrupted_watch_prints_that_the_job_has_not_finished() throws Exception {
        try (var server = new ServerFixture()) {
            String id = server.submit("test.count", "--params={\"to\":2}");
            server.gate.release();
            Process watch = start(Map.of("LONGHAUL_URL", server.url()), "watch", id);
            var lines = watch.inputReader(UTF_8);
            for (String line = lines.readLine(); !"counted 1".equals(line); line = lines.readLine()) {
                assertThat(line).as("output before the first count").isNotNull();
            }
            // SIGTERM: SIGINT has the same effect, but background processes of a shell ignore it.
            watch.toHandle().destroy(); // not Process.destroy(), which also closes the output
            assertThat(lines.lines().reduce((before, last) -> last).orElseThrow())
                    .isEqualTo("longhaul: job " + id + " has not finished; to resume: longhaul watch " + id);
            assertThat(watch.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(watch.exitValue()).isEqualTo(12);
            assertThat(server.status(id)).isEqualTo(JobStatus.RUNNING);
        }
    }

    private static Process start(Map<String, String> environment, String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("LONGHAUL_KEY");
        builder.environment().putAll(environment);
        return builder.start();
    }
}
