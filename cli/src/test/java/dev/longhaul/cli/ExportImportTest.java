package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.JobQuery;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.event.EventQuery;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Store;
import dev.longhaul.work.ClaimRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
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

@Tag("full")
class ExportImportTest {
    record Text(String text) {}

    @TempDir
    private static Path directory;

    private static ExportDatabases databases;

    private final JobDefinition<Text, Text> steps = JobDefinition.of("test.steps", Text.class, Text.class)
            .handler((params, context) -> {
                context.log().info("at work on {}", params.text());
                context.progress(50, "half");
                return context.step("only", Text.class, () -> params);
            });
    private final JobDefinition<Text, Text> fail = JobDefinition.of("test.fail", Text.class, Text.class)
            .maxAttempts(2)
            .handler((params, context) -> {
                throw new IllegalStateException("odd: \"\\ \u00fc \uD83D\uDE00\n" + params.text());
            });

    @BeforeAll
    static void start() {
        databases = new ExportDatabases(directory.resolve("data"));
    }

    @AfterAll
    static void stop() {
        databases.close();
    }

    @Test
    void reproduce_everything_in_an_empty_database_and_change_nothing_when_repeated() throws Exception {
        PGSimpleDataSource source = databases.create("source");
        JobId waiting;
        byte[] hash = new byte[32];
        try (PostgresStore store = PostgresStore.open(source)) {
            waiting = fill(store, source);
            hash[0] = 1;
            store.access().add(UUID.randomUUID(), "ci", Rights.of(Role.SUBMITTER), hash, "test");
            store.queues().pause("nightly", "ann", "maintenance");
        }
        Path file = directory.resolve("all.jsonl");
        var exported = ServerFixture.execute("export", "--database-url=" + databases.url("source"), "--out=" + file)
                .exitsWith(0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        var printed = ServerFixture.execute("export", "--store=" + databases.url("source"))
                .exitsWith(0);
        assertThat(printed.lines()).containsExactlyElementsOf(Files.readAllLines(file));
        PGSimpleDataSource copy = databases.create("copy");
        var imported = ServerFixture.execute("import", file.toString(), "--database-url=" + databases.url("copy"))
                .exitsWith(0);
        String rows = exported.err().replaceAll("\\D", "");
        assertThat(imported.out()).isEqualToIgnoringNewLines("read " + rows + " rows: " + rows + " added, 0 unchanged");
        try (PostgresStore one = PostgresStore.open(source);
                PostgresStore two = PostgresStore.open(copy)) {
            assertSame(one, two);
            assertThat(two.jobs().find("test.steps", null, "once").map(Job::id)).contains(waiting);
            assertThat(two.access().byHash(hash))
                    .isPresent()
                    .isEqualTo(one.access().byHash(hash));
            assertThat(two.queues().all()).isEqualTo(one.queues().all());
            assertThat(two.catalog().definitions()).isEqualTo(one.catalog().definitions());
        }
        assertThat(ServerFixture.execute("import", file.toString(), "--database-url=" + databases.url("copy"))
                        .exitsWith(0)
                        .out())
                .isEqualToIgnoringNewLines("read " + rows + " rows: 0 added, " + rows + " unchanged");
        finishIn(copy, waiting);
        assertThat(ServerFixture.execute("import", file.toString(), "--database-url=" + databases.url("copy"))
                        .exitsWith(0)
                        .out())
                .as("a job that has finished since is not restored")
                .isEqualToIgnoringNewLines("read " + rows + " rows: 0 added, " + rows + " unchanged");
    }

    @Test
    void a_job_that_was_running_is_retried_and_counts_toward_its_definitions_limit_only_then() throws Exception {
        JobId running;
        try (PostgresStore store = PostgresStore.open(databases.create("busy"))) {
            var limited = new Declaration(new DefinitionRef("test.steps", 1), null, null, null, null, null, 1);
            store.catalog().declare(limited, Set.of(Declaration.Field.CONCURRENCY_LIMIT), "operator");
            var spec = JobSpec.of(new DefinitionRef("test.steps", 1), "{\"text\":\"a\"}")
                    .build();
            running = store.jobs().insert(List.of(spec)).get(0).job().id();
            var claim = ClaimRequest.of("elsewhere", List.of("default"), null, 1, Duration.ofSeconds(1));
            assertThat(store.work().claim(claim)).hasSize(1);
        }
        Path file = directory.resolve("busy.jsonl");
        // No worker has registered the definition, so it is unknown which params of the job are secret.
        ServerFixture.execute("export", "--database-url=" + databases.url("busy"), "--out=" + file, "--with-secrets")
                .exitsWith(0);
        PGSimpleDataSource copy = databases.create("calm");
        ServerFixture.execute("import", file.toString(), "--database-url=" + databases.url("calm"))
                .exitsWith(0);
        try (var longhaul = Longhaul.builder()
                .postgres(copy)
                .lease(Duration.ofSeconds(2))
                .register(steps)
                .start()) {
            assertThat(longhaul.await(steps, running, Duration.ofMinutes(1)).status())
                    .isEqualTo(JobStatus.SUCCEEDED);
            assertThat(longhaul.store().jobs().runs(running)).hasSize(2);
        }
    }

    @Test
    void reject_an_incomplete_export() throws Exception {
        databases.create("empty");
        databases.create("other");
        String url = "--database-url=" + databases.url("empty");
        assertThat(ServerFixture.execute("export", url).exitsWith(5).err()).contains("longhaul migrate");
        ServerFixture.execute("migrate", url).exitsWith(0);
        String export = ServerFixture.execute("export", url).exitsWith(0).out();
        Path file = directory.resolve("bad.jsonl");
        String other = "--database-url=" + databases.url("other");
        for (Map.Entry<String, String> bad : Map.of(
                        "not an export", "{}\n",
                        "truncated", export.lines().findFirst().orElseThrow() + "\n",
                        "schema version", export.replaceAll("schemaVersion\":[0-9]+", "schemaVersion\":99"),
                        "kind leader", export.replace("{\"end\"", "{\"leader\":{}}\n{\"end\""),
                        "not a line", export.replace("{\"end\"", "nonsense\n{\"end\""))
                .entrySet()) {
            Files.writeString(file, bad.getValue(), UTF_8);
            assertThat(ServerFixture.execute("import", file.toString(), other)
                            .exitsWith(2)
                            .err())
                    .contains(bad.getKey());
        }
        ServerFixture.execute("import", directory.resolve("none").toString(), other)
                .exitsWith(2);
        ServerFixture.execute("export").exitsWith(2);
    }

    /** Creates jobs in several states: succeeded, failed after two attempts, scheduled with a key, held. */
    private JobId fill(PostgresStore store, PGSimpleDataSource source) throws InterruptedException {
        try (var longhaul = Longhaul.builder()
                .postgres(source)
                .store(store)
                .register(steps, fail)
                .start()) {
            JobId done = longhaul.later(steps, new Text("a"));
            JobId failed = longhaul.later(fail, new Text("b"));
            longhaul.later(steps, new Text("c"), JobOptions.options().hold(true).name("held"));
            JobId waiting = longhaul.later(
                    steps,
                    new Text("d"),
                    JobOptions.options()
                            .delay(Duration.ofDays(1))
                            .idempotencyKey("once")
                            .labels(Map.of("a", "1", "b", "x=y")));
            longhaul.await(steps, done, Duration.ofMinutes(1));
            longhaul.await(fail, failed, Duration.ofMinutes(1));
            return waiting;
        }
    }

    private static void assertSame(Store one, Store two) {
        List<Job> jobs = one.jobs().list(JobQuery.where().build()).jobs();
        assertThat(jobs)
                .extracting(Job::status)
                .containsExactlyInAnyOrder(
                        JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CREATED, JobStatus.SCHEDULED);
        assertThat(two.jobs().list(JobQuery.where().build()).jobs()).isEqualTo(jobs);
        for (Job job : jobs) {
            assertThat(two.jobs().runs(job.id())).isEqualTo(one.jobs().runs(job.id()));
            assertThat(two.work().steps(job.id())).isEqualTo(one.work().steps(job.id()));
            assertThat(two.jobs().events(EventQuery.of(job.id())))
                    .isNotEmpty()
                    .isEqualTo(one.jobs().events(EventQuery.of(job.id())));
        }
        assertThat(jobs).anySatisfy(job -> assertThat(one.jobs().runs(job.id())).hasSize(2));
        assertThat(jobs)
                .anySatisfy(job -> assertThat(one.work().steps(job.id())).hasSize(1));
    }

    private void finishIn(PGSimpleDataSource copy, JobId waiting) throws InterruptedException {
        try (var longhaul =
                Longhaul.builder().postgres(copy).register(steps, fail).start()) {
            longhaul.store().jobs().execute(JobCommand.runNow(waiting, "test"));
            assertThat(longhaul.await(steps, waiting, Duration.ofMinutes(1)).status())
                    .isEqualTo(JobStatus.SUCCEEDED);
        }
    }
}
