package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.testing.Brokers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Processes with {@code --intake} on a real broker accept jobs while their PostgreSQL is stopped. */
@Tag("full")
@Timeout(300)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the embedded PostgreSQL is not for Windows")
@Order(1) // Slow: starts first, so that other classes run in parallel.
class IntakeOutageTest {
    private static final int JOBS = 20;

    private final Path directory;
    private final Brokers brokers = Brokers.start(1);
    private final EmbeddedPostgres postgres;
    private final Map<String, String> environment;

    IntakeOutageTest(@TempDir Path directory) {
        this.directory = directory;
        this.postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory.resolve("database")));
        this.environment = Map.of(
                "LONGHAUL_STORE",
                "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:" + postgres.port()
                        + "/postgres",
                "LONGHAUL_DEMO",
                "true",
                "LONGHAUL_PORT",
                "0",
                "LONGHAUL_KAFKA",
                brokers.servers(),
                "LONGHAUL_INTAKE",
                "longhaul.jobs",
                "LONGHAUL_INTAKE_UNSAFE",
                "true");
    }

    @AfterEach
    void stop() {
        postgres.close();
        brokers.close();
    }

    private LonghaulProcess start(String... arguments) {
        return LonghaulProcess.start(directory, environment, arguments).awaitReady();
    }

    @Test
    void a_job_submitted_while_the_database_is_stopped_is_stored_once_and_runs() throws Exception {
        try (var api = start("server", "--role=api");
                var writer = start("server", "--role=api,scheduler");
                var worker = start("worker")) {
            api.result(api.submit("demo.echo", "{\"before\": true}"));

            postgres.stopServer();
            var ids = new ArrayList<String>();
            for (int n = 0; n < JOBS; n++) {
                var reply = api.post("/v1/jobs", submission(n));
                assertThat(reply.status()).as(reply.body()).isEqualTo(202);
                assertThat(reply.json().get("deferred").asBoolean()).isTrue();
                ids.add(reply.json().get("jobId").asText());
            }
            // Not appended by this server. No load balancer may take it out of service either.
            assertThat(writer.get("/readyz").status()).isEqualTo(200);
            assertThat(api.get("/readyz").status()).isEqualTo(200);

            postgres.startServer();
            for (int n = 0; n < JOBS; n++) {
                JsonNode result =
                        writer.await(ids.get(n), IntakeOutageTest::succeeded).get("result");
                assertThat(result.get("n").asInt()).isEqualTo(n);
            }
            JsonNode listed = api.get("/v1/jobs?label.run=outage").json().get("jobs");
            assertThat(listed).hasSize(JOBS);
            api.awaitAt("/v1/intake", state -> state.get("waiting").asInt() == 0);
            assertThat(api.submit("demo.echo", "{}")).isNotEmpty();

            for (LonghaulProcess process : List.of(api, worker, writer)) {
                process.signal("TERM");
                assertThat(process.awaitExit()).as(process.output()).isZero();
            }
        }
    }

    private static String submission(int n) {
        return "{\"definitionKey\":\"demo.echo\",\"params\":{\"n\":" + n + "},\"labels\":{\"run\":\"outage\"}}";
    }

    /** Deferred jobs have no status yet. */
    private static boolean succeeded(JsonNode job) {
        return job.path("status").asText().equals("succeeded");
    }
}
