package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.postgres.database.Pooling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Longhaul behind a real PgBouncer (docs/guides/deployment.md, "Behind PgBouncer"). */
@Tag("full")
@EnabledIf(
        value = "dev.longhaul.cli.launch.PgBouncer#installed",
        disabledReason = "PgBouncer is not installed here: apt-get install pgbouncer")
class PgBouncerTest {
    private static final int JOBS = 400;
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    @TempDir
    private Path directory;

    private final EmbeddedPostgres postgres;

    PgBouncerTest(@TempDir Path home) {
        postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home.resolve("database")));
    }

    @AfterEach
    void stop() {
        postgres.crashServer();
        postgres.close();
    }

    @Test
    void in_transaction_mode_server_and_worker_run_all_jobs_and_cancel_one() {
        try (var bouncer = PgBouncer.start(directory, postgres, "transaction");
                var api = LonghaulProcess.start(
                                directory,
                                "server",
                                "--role=api,scheduler",
                                "--port=0",
                                "--demo",
                                "--store",
                                bouncer.url())
                        .awaitReady();
                var worker = LonghaulProcess.start(directory, "worker", "--demo", "--store", bouncer.url())
                        .awaitReady()) {
            assertThat(api.output()).containsOnlyOnce("(prepareThreshold=0)").contains("no LISTEN");
            String jobs = IntStream.range(0, JOBS)
                    .mapToObj(i -> "{\"definitionKey\":\"demo.echo\",\"params\":{\"n\":" + i + "}}")
                    .collect(Collectors.joining(","));
            assertThat(api.post("/v1/jobs/batch", "{\"jobs\":[" + jobs + "]}").status())
                    .isEqualTo(202);
            String endless = api.submit("demo.sleep", "{\"millis\": 600000}");

            awaitSucceeded(api, JOBS);
            api.awaitStatus(endless, "running");
            assertThat(api.post("/v1/jobs/" + endless + "/cancel", "{}").status())
                    .isEqualTo(202);
            api.awaitStatus(endless, "cancelled");

            assertThat(api.get("/v1/jobs?status=failed,retrying").json().get("jobs"))
                    .isEmpty();
            assertThat(api.output() + worker.output()).doesNotContain("prepared statement \"", "ERROR");
        }
    }

    private static void awaitSucceeded(LonghaulProcess api, int jobs) {
        long until = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            JsonNode counts = api.get("/v1/jobs/count?definitionKey=demo.echo").json();
            if (counts.at("/counts/succeeded").asInt() == jobs) {
                return;
            }
            assertThat(System.nanoTime()).as(counts.toString()).isLessThan(until);
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    @Test
    void in_transaction_mode_a_data_source_with_named_statements_is_refused_by_the_settings_name() {
        try (var bouncer = PgBouncer.start(directory, postgres, "transaction");
                var broken = pool(bouncer.url());
                var fine = pool(bouncer.url() + "&prepareThreshold=0")) {
            assertThatThrownBy(() -> PostgresStore.open(broken))
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining("prepareThreshold: 5 (expected: 0 in the JDBC URL")
                    .hasMessageContaining("PgBouncer");
            PostgresStore.open(fine).close();
        }
    }

    @Test
    void its_mode_is_detected() throws Exception {
        try (var transaction = PgBouncer.start(directory, postgres, "transaction");
                var session = PgBouncer.start(directory, postgres, "session")) {
            assertThat(Pooling.of(new PatientDataSource(transaction.url()))).isEqualTo(Pooling.TRANSACTION);
            assertThat(Pooling.of(new PatientDataSource(session.url()))).isEqualTo(Pooling.SESSION);
            var direct = new PatientDataSource(postgres.jdbcUrl());
            direct.setUser(postgres.user());
            direct.setPassword(postgres.password());
            assertThat(Pooling.of(direct)).isEqualTo(Pooling.DIRECT);
            try (var pool = pool(session.url())) {
                PostgresStore.open(pool).close();
            }
        }
    }

    private static HikariDataSource pool(String url) {
        var config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(6);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }
}
