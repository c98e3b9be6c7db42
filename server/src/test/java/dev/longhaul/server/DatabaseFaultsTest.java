package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.job.JobId;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that responds, but refuses writes or has another time. */
@Timeout(240)
class DatabaseFaultsTest {
    private static final String ECHO = "{\"definitionKey\":\"demo.echo\"}";

    /** A separate server, because one test makes it read-only. */
    private static EmbeddedPostgres postgres;

    private Site site;

    @BeforeAll
    static void start() {
        postgres = TestPostgres.start();
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    @BeforeEach
    void open() {
        site = new Site(TestPostgres.on(postgres));
    }

    @AfterEach
    void close() {
        site.close();
    }

    private void execute(String sql) {
        try (Connection connection = site.pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitReadiness(int status) {
        while (site.api.get("/readyz").status() != status) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    @Nested
    class Readiness {
        @Test
        @Tag("full")
        void ends_when_the_disk_is_full_and_returns_when_it_is_not() {
            awaitReadiness(200);
            execute(
                    "create function full_disk() returns trigger language plpgsql as $$ begin"
                            + " raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$");
            execute("create trigger full_disk before insert on longhaul.live_job execute function full_disk()");
            assertThat(site.api.post("/v1/jobs", ECHO).status()).isEqualTo(503);
            var reply = site.api.get("/readyz");
            assertThat(reply.status()).isEqualTo(503);
            assertThat(reply.json().get("detail").asText())
                    .contains("the database refuses writes", "No space left on device");
            assertThat(site.api.get("/healthz").status()).isEqualTo(200);
            execute("drop trigger full_disk on longhaul.live_job");
            assertThat(site.api.post("/v1/jobs", ECHO).status()).isEqualTo(202);
            awaitReadiness(200);
        }

        @Test
        void ends_when_the_database_is_read_only_and_returns_when_it_is_not() {
            awaitReadiness(200);
            execute("alter system set default_transaction_read_only = on");
            execute("select pg_reload_conf()");
            awaitReadiness(503);
            assertThat(site.api.get("/readyz").json().get("detail").asText()).contains("read-only");
            execute("alter system reset default_transaction_read_only");
            execute("select pg_reload_conf()");
            awaitReadiness(200);
            assertThat(site.api.post("/v1/jobs", ECHO).status()).isEqualTo(202);
        }
    }

    @Nested
    class Clock {
        private void shift(int days) {
            execute("create or replace function longhaul.clock() returns timestamptz language sql stable parallel safe"
                    + " as 'select statement_timestamp() + interval ''" + days + " days'''");
        }

        @ParameterizedTest
        @ValueSource(ints = {3, -3})
        void that_is_days_off_refuses_no_job(int days) {
            site.api.post("/v1/schedules", "{\"key\":\"s\",\"definitionKey\":\"demo.echo\",\"everySeconds\":86400}");
            shift(days);
            String id = site.start(ECHO);
            assertThat(JobId.parse(id).madeAt())
                    .isBetween(
                            Instant.now().plus(Duration.ofDays(days)).minus(Duration.ofMinutes(10)),
                            Instant.now().plus(Duration.ofDays(days)).plus(Duration.ofMinutes(10)));
            assertThat(site.api
                            .post("/v1/jobs/batch", "{\"jobs\":[" + ECHO + "," + ECHO + "]}")
                            .status())
                    .isEqualTo(202);
            assertThat(site.start("{\"definitionKey\":\"demo.echo\",\"idempotencyKey\":\"once\"}"))
                    .isEqualTo(site.start("{\"definitionKey\":\"demo.echo\",\"idempotencyKey\":\"once\"}"));
            var fire = site.api.post("/v1/schedules/s/trigger", null);
            assertThat(fire.status()).as(fire.body()).isLessThan(300);
            assertThat(site.api
                            .get("/v1/jobs/" + id + "?waitSeconds=30")
                            .json()
                            .get("status")
                            .asText())
                    .isEqualTo("succeeded");

            shift(0);
            site.start(ECHO); // Stored with the old clock offset; refreshes it.
            assertThat(JobId.parse(site.start(ECHO)).madeAt())
                    .isBetween(
                            Instant.now().minus(Duration.ofMinutes(10)),
                            Instant.now().plus(Duration.ofMinutes(10)));
        }
    }
}
