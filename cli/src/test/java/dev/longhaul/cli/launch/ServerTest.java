package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Starts {@code longhaul server} and {@code longhaul worker} as real processes. */
@Tag("full")
@Tag("jdk")
@Timeout(300)
@DisabledOnOs(
        value = OS.WINDOWS,
        disabledReason = "signals are sent with kill, and the embedded PostgreSQL is not for Windows")
@Order(1) // Slow: starts first, so that other classes run in parallel.
class ServerTest {
    @TempDir
    Path directory;

    @Nested
    class Settings {
        @Test
        void come_from_flags_the_environment_and_a_file() throws Exception {
            Path file = Files.writeString(
                    directory.resolve("longhaul.properties"), "store=memory\nport=1\ndemo=false\nslots=3\n");
            Map<String, String> environment =
                    Map.of("LONGHAUL_PORT", "2", "LONGHAUL_DEMO", "true", "LONGHAUL_SLOTS", "5");
            try (var server = LonghaulProcess.start(
                            directory, environment, "server", "--config", file.toString(), "--port", "0")
                    .awaitReady()) {
                assertThat(server.result(server.submit("demo.echo", "[1]"))).hasToString("[1]");
                assertThat(server.get("/v1/workers")
                                .json()
                                .at("/workers/0/slots")
                                .asInt())
                        .isEqualTo(5);
                assertThat(directory.resolve(".longhaul")).doesNotExist();
            }
        }

        @Test
        void that_are_invalid_are_all_reported_and_exit_with_2() throws Exception {
            Files.writeString(directory.resolve("longhaul.properties"), "prot=1\n");
            try (var server = LonghaulProcess.start(
                    directory,
                    Map.of("LONGHAUL_LEASE", "soon"),
                    "server",
                    "--config=longhaul.properties",
                    "--slots=none",
                    "--jobs=no.jar")) {
                assertThat(server.awaitExit()).isEqualTo(2);
                assertThat(server.output().lines())
                        .hasSize(4)
                        .anyMatch(line -> line.startsWith("longhaul: prot in longhaul.properties: 1 (expected: "))
                        .anyMatch(line -> line.startsWith("longhaul: LONGHAUL_LEASE: soon (expected: "))
                        .anyMatch(line -> line.startsWith("longhaul: --slots: none (expected: "))
                        .anyMatch(line -> line.startsWith("longhaul: --jobs: no.jar (expected: "));
            }
        }

        @Test
        void are_explained_with_their_defaults() throws Exception {
            try (var help = LonghaulProcess.start(directory, "server", "--help")) {
                assertThat(help.awaitExit()).isZero();
                for (Setting setting : Setting.values()) {
                    assertThat(help.output()).contains(setting.flag());
                }
                assertThat(help.output().replaceAll("\\s+", " "))
                        .contains("(default: 8080)", "(default: 15s)", "(default: 7d)", "LONGHAUL_CANCEL_GRACE");
            }
        }

        @Test
        void open_it_to_other_machines_once_a_file_brings_the_first_admin_key() throws Exception {
            Path file = Files.writeString(directory.resolve("admin-key"), "0123456789abcdef0123456789abcdef\n");
            try (var server = LonghaulProcess.start(
                            directory,
                            Map.of("LONGHAUL_ADMIN_KEY_FILE", file.toString()),
                            "server",
                            "--store=memory",
                            "--port=0",
                            "--host=0.0.0.0",
                            "--role=api,worker")
                    .awaitReady()) {
                assertThat(server.get("/healthz").status()).isEqualTo(200);
                assertThat(server.get("/v1/jobs").status()).isEqualTo(401);
            }
        }

        @Test
        void with_a_password_on_the_command_line_log_a_warning() throws Exception {
            try (var server = LonghaulProcess.start(
                    directory, "server", "--port=0", "--store=postgres://ann:hunter2@127.0.0.1:1/jobs")) {
                assertThat(server.awaitLine("--store: every user")).contains("LONGHAUL_STORE", "--config", "~/.pgpass");
                assertThat(server.output()).doesNotContain("hunter2");
            }
            try (var server = LonghaulProcess.start(
                    directory,
                    Map.of("LONGHAUL_STORE", "postgres://ann:hunter2@127.0.0.1:1/jobs"),
                    "server",
                    "--port=0")) {
                server.awaitLine("; retrying for 30 s");
                assertThat(server.output()).doesNotContain("every user");
            }
        }

        /** No broker listens there: the attempt shows where the server sends events. */
        @Test
        void of_kafka_have_webhooks_send_to_topics() throws Exception {
            Path client = Files.writeString(directory.resolve("client.properties"), "client.id=longhaul\n");
            try (var server = LonghaulProcess.start(
                            directory,
                            "server",
                            "--store=memory",
                            "--port=0",
                            "--kafka=127.0.0.1:1",
                            "--kafka-config=" + client)
                    .awaitReady()) {
                String webhook = "/v1/webhooks/"
                        + server.post("/v1/webhooks", "{\"url\": \"kafka:orders\", \"events\": [\"job.ended\"]}")
                                .json()
                                .path("id")
                                .asText();
                String delivery = webhook + "/deliveries/"
                        + server.post(webhook + "/test", "{}").json().path("id").asText();
                String error = "";
                while (error.isEmpty()) {
                    error = server.get(delivery).json().at("/attempts/0/error").asText();
                }
                assertThat(error).contains("Topic orders not present in metadata");
            }
        }

        @Test
        void a_port_that_is_taken_is_an_error() throws Exception {
            try (var first = LonghaulProcess.start(directory, "server", "--store=memory", "--port=0")
                            .awaitReady();
                    var second = LonghaulProcess.start(
                            directory,
                            "server",
                            "--store=memory",
                            "--port=" + URI.create(first.url()).getPort())) {
                assertThat(second.awaitExit()).isEqualTo(7);
                assertThat(second.output()).hasLineCount(1).contains("(expected: a free one");
            }
        }
    }

    @Nested
    class UsersJobs {
        @Test
        void of_a_jar_are_run() throws Exception {
            Path classes = Files.createDirectory(directory.resolve("classes"));
            UserJobs.compile(classes, "Words", UserJobs.answering("from a jar"), "test.Words");
            UserJobs.jar(directory.resolve("my-jobs.jar"), classes);
            try (var server = LonghaulProcess.start(
                            directory, "server", "--store=memory", "--port=0", "--jobs", "my-jobs.jar")
                    .awaitReady()) {
                String id = server.submit("test.word", "{\"waitFor\": \"\"}");
                assertThat(server.result(id).asText()).isEqualTo("from a jar");
            }
        }

        @Test
        void that_cannot_be_loaded_are_reported_in_one_line() throws Exception {
            UserJobs.jar(directory.resolve("empty.jar"), Files.createDirectory(directory.resolve("classes")));
            try (var server =
                    LonghaulProcess.start(directory, "server", "--store=memory", "--port=0", "--jobs", "empty.jar")) {
                assertThat(server.awaitExit()).isEqualTo(2);
                assertThat(server.output()).hasLineCount(1).contains("empty.jar", "META-INF/services");
            }
        }
    }

    @Nested
    class Signals {
        @Test
        void let_jobs_end_within_the_drain_time_and_give_back_the_rest() throws Exception {
            try (var server = LonghaulProcess.start(
                            directory, "server", "--store=memory", "--port=0", "--demo", "--drain=1s")
                    .awaitReady()) {
                server.awaitStatus(server.submit("demo.sleep", "{\"millis\": 600000}"), "running");
                server.signal("TERM");
                assertThat(server.awaitExit()).isZero();
                assertThat(server.output()).contains("longhaul: stopping", "longhaul: stopped");
            }
        }

        @Test
        void sent_twice_stop_it_immediately() throws Exception {
            try (var server = LonghaulProcess.start(
                            directory, "server", "--store=memory", "--port=0", "--demo", "--drain=1h")
                    .awaitReady()) {
                server.awaitStatus(server.submit("demo.sleep", "{\"millis\": 600000}"), "running");
                server.signal("TERM");
                server.awaitLine("longhaul: stopping");
                server.signal("TERM");
                assertThat(server.awaitExit()).isEqualTo(128 + 15);
            }
        }
    }

    @Test
    void waits_for_an_unavailable_database() {
        var config = EmbeddedPostgresConfig.in(directory.resolve("database"));
        var postgres = EmbeddedPostgres.start(config);
        String url = "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:" + postgres.port()
                + "/postgres";
        postgres.close();
        try (var server = LonghaulProcess.start(directory, "server", "--port=0", "--store", url)) {
            server.awaitLine("; retrying for 30 s");
            try (var again = EmbeddedPostgres.start(config.withPort(postgres.port()))) {
                server.awaitReady();
                assertThat(server.get("/readyz").status()).as(again.jdbcUrl()).isEqualTo(200);
            }
        }
    }

    @Test
    void a_separate_worker_runs_the_jobs_of_a_server_without_one() throws Exception {
        try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory.resolve("database")))) {
            String url = "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:" + postgres.port()
                    + "/postgres";
            Map<String, String> environment = Map.of("LONGHAUL_STORE", url, "LONGHAUL_DEMO", "true");
            try (var api = LonghaulProcess.start(
                            directory,
                            environment,
                            "server",
                            "--role=api,scheduler",
                            "--port=0",
                            "--read-database-url",
                            url)
                    .awaitReady()) {
                String id = api.submit("demo.fail", "{\"times\": 1}");
                assertThat(api.job(id).get("status").asText()).isEqualTo("queued");
                try (var worker =
                        LonghaulProcess.start(directory, environment, "worker").awaitReady()) {
                    assertThat(worker.output()).hasLineCount(1).contains("demo.count@1", "demo.hog@1");
                    assertThat(api.result(id).get("run").asInt()).isEqualTo(2);
                    assertThat(api.get("/v1/jobs").json().get("jobs")).hasSize(1);
                    assertThat(api.get("/v1/stats")
                                    .json()
                                    .at("/counts/succeeded")
                                    .asInt())
                            .isOne();
                    worker.signal("TERM");
                    assertThat(worker.awaitExit()).isZero();
                }
                String left = api.submit("demo.echo", "1");
                assertThat(api.job(left).get("status").asText()).isEqualTo("queued");
            }
            postgres.crashServer();
        }
    }
}
