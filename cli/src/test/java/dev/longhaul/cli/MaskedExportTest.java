package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.JobQuery;
import dev.longhaul.Longhaul;
import dev.longhaul.NewSchedule;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.json.Secret;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.schedule.Timing;
import dev.longhaul.spi.Store;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.work.ClaimRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** An export contains secrets only if requested, and after an import no job runs with masked secrets. */
@Tag("full")
class MaskedExportTest {
    private static final String CANARY = "s3cret-c4nary";
    private static final String SIGNING = WebhookSecret.random();
    private static final String SIGNING_OF_JOB = WebhookSecret.random();

    record Login(String user, @Secret String password) {}

    record Plain(String text) {}

    record Session(String seen, @Secret String token) {}

    @TempDir
    private static Path directory;

    private static ExportDatabases databases;

    private final JobDefinition<Login, Session> login = JobDefinition.of("test.login", Login.class, Session.class)
            .handler((params, context) -> {
                String token = context.step("token", String.class, () -> CANARY + "-token");
                return new Session("seen " + params.password(), token);
            });
    private final JobDefinition<Plain, Plain> plain =
            JobDefinition.of("test.plain", Plain.class, Plain.class).handler((params, context) -> params);
    private final JobDefinition<Login, Login> stopped = JobDefinition.of("test.stopped", Login.class, Login.class)
            .queue("stopped")
            .handler((params, context) -> params);

    private record Filled(JobId done, JobId held, JobId scheduled, JobId running, JobId plain) {}

    @BeforeAll
    static void start() {
        databases = new ExportDatabases(directory.resolve("data"));
    }

    @AfterAll
    static void stop() {
        databases.close();
    }

    @Test
    void secrets_are_masked_and_an_import_holds_jobs_that_need_them() throws Exception {
        Filled jobs = fill(databases.create("source"));
        Path file = directory.resolve("masked.jsonl");
        assertThat(ServerFixture.execute("export", "--database-url=" + databases.url("source"), "--out=" + file)
                        .exitsWith(0)
                        .err())
                .doesNotContain("WARN");
        assertThat(Files.readString(file))
                .doesNotContain(CANARY, SIGNING, SIGNING_OF_JOB)
                .doesNotContain(leaseKeys("source"))
                .contains("***", "seen ***", "\\\"user\\\":\\\"ann\\\"");

        PGSimpleDataSource copy = databases.create("copy");
        String into = "--database-url=" + databases.url("copy");
        assertThat(ServerFixture.execute("import", file.toString(), into)
                        .exitsWith(5)
                        .err())
                .contains("3 unfinished jobs, 1 schedule, 2 webhooks", "--with-secrets", "--hold-masked");
        assertThat(hasSchema(copy)).as("a rejected import changes nothing").isFalse();

        String rows = String.valueOf(Files.readAllLines(file).size() - 2);
        for (String added : List.of(rows, "0")) {
            assertThat(ServerFixture.execute("import", file.toString(), into, "--hold-masked")
                            .exitsWith(0)
                            .out())
                    .startsWith("read " + rows + " rows: " + added + " added, ");
        }
        assertHeld(copy, jobs);
    }

    private void assertHeld(PGSimpleDataSource copy, Filled jobs) throws InterruptedException {
        try (var longhaul = Longhaul.builder()
                .postgres(copy)
                .register(login, plain, stopped)
                .start()) {
            Store store = longhaul.store();
            longhaul.runNow(jobs.plain());
            assertThat(longhaul.await(plain, jobs.plain(), Duration.ofMinutes(1))
                            .status())
                    .isEqualTo(JobStatus.SUCCEEDED);
            Job done = store.jobs().find(jobs.done()).orElseThrow();
            assertThat(done.status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(done.spec().params()).isEqualTo("{\"user\":\"ann\",\"password\":\"***\"}");
            assertThat(done.result()).isEqualTo("{\"seen\":\"seen ***\",\"token\":\"***\"}");
            for (JobId id : List.of(jobs.held(), jobs.scheduled(), jobs.running())) {
                assertThat(store.jobs().find(id).map(Job::status))
                        .as("%s", store.jobs().find(id))
                        .contains(JobStatus.CREATED);
            }
            assertThat(store.jobs().runs(jobs.running()))
                    .singleElement()
                    .satisfies(run -> assertThat(run.status().toString()).isEqualToIgnoringCase("lost"));
            assertThat(longhaul.schedules().get("nightly").enabled()).isFalse();
            assertThat(store.webhooks().list())
                    .hasSize(2)
                    .allSatisfy(webhook -> assertThat(webhook.enabled()).isFalse());
            String params = "{\"user\":\"b\",\"password\":\"new\"}";
            longhaul.edit(jobs.running(), new JobEdit(null, null, null, params, null, null));
            longhaul.release(jobs.running());
            assertThat(longhaul.await(stopped, jobs.running(), Duration.ofMinutes(1))
                            .status())
                    .isEqualTo(JobStatus.SUCCEEDED);
        }
    }

    @Test
    void with_secrets_everything_is_restored_and_a_warning_is_printed() throws Exception {
        PGSimpleDataSource source = databases.create("whole");
        Filled jobs = fill(source);
        Path file = directory.resolve("whole.jsonl");
        assertThat(ServerFixture.execute(
                                "export", "--database-url=" + databases.url("whole"), "--out=" + file, "--with-secrets")
                        .exitsWith(0)
                        .err())
                .contains("WARN: the export contains secrets in plain text");
        assertThat(Files.readString(file)).contains(CANARY, SIGNING, SIGNING_OF_JOB);
        PGSimpleDataSource copy = databases.create("restored");
        ServerFixture.execute("import", file.toString(), "--database-url=" + databases.url("restored"))
                .exitsWith(0);
        try (PostgresStore one = PostgresStore.open(source);
                PostgresStore two = PostgresStore.open(copy)) {
            List<Job> all = one.jobs().list(JobQuery.where().build()).jobs();
            assertThat(all).hasSize(5);
            assertThat(two.jobs().list(JobQuery.where().build()).jobs()).isEqualTo(all);
            assertThat(two.work().steps(jobs.done())).isEqualTo(one.work().steps(jobs.done()));
            assertThat(two.schedules().find("nightly"))
                    .isPresent()
                    .isEqualTo(one.schedules().find("nightly"));
            assertThat(two.webhooks().list())
                    .hasSize(2)
                    .isEqualTo(one.webhooks().list());
        }
    }

    private Filled fill(PGSimpleDataSource source) throws InterruptedException {
        JobId running;
        JobId done;
        JobId held;
        JobId scheduled;
        JobId ordinary;
        var params = new Login("ann", CANARY);
        var later = JobOptions.options().delay(Duration.ofDays(1));
        try (var longhaul = Longhaul.builder()
                .postgres(source)
                .register(login, plain, stopped)
                .start()) {
            done = longhaul.later(login, params);
            held = longhaul.later(login, params, JobOptions.options().hold(true));
            var webhook =
                    new JobWebhook("https://example.org/of-job", Set.of(WebhookEvent.JOB_SUCCEEDED), SIGNING_OF_JOB);
            scheduled = longhaul.later(login, params, later.webhook(webhook));
            ordinary = longhaul.later(plain, new Plain("p"), later);
            longhaul.schedules()
                    .create(
                            NewSchedule.of("nightly", new Timing.Every(Duration.ofDays(1), Instant.now())),
                            login,
                            params);
            longhaul.await(login, done, Duration.ofMinutes(1));
            longhaul.stopClaiming();
            running = longhaul.later(stopped, params);
        }
        try (PostgresStore store = PostgresStore.open(source)) {
            store.webhooks()
                    .create(
                            UUID.randomUUID(),
                            new WebhookSpec(
                                    "https://example.org/in",
                                    Set.of(WebhookEvent.JOB_FAILED),
                                    Set.of(),
                                    Set.of(),
                                    Map.of(),
                                    List.of(SIGNING)),
                            "test");
            var claim = ClaimRequest.of("elsewhere", List.of("stopped"), null, 1, Duration.ofSeconds(1));
            assertThat(store.work().claim(claim)).hasSize(1);
        }
        return new Filled(done, held, scheduled, running, ordinary);
    }

    private static List<String> leaseKeys(String database) throws SQLException {
        String query = "select lease_key from longhaul.live_job where lease_key is not null"
                + " union all select lease_key from longhaul.finished_job union all select lease_key from longhaul.job_run";
        var keys = new ArrayList<String>();
        try (var connection = databases.get(database).getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(query)) {
            while (row.next()) {
                keys.add(row.getString(1));
            }
        }
        assertThat(keys).hasSizeGreaterThanOrEqualTo(2);
        return keys;
    }

    private static boolean hasSchema(PGSimpleDataSource database) throws SQLException {
        try (var connection = database.getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery("select to_regnamespace('longhaul') is not null")) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
