package dev.longhaul.versions;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.Longhaul;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunStatus;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.TestPostgres;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two versions of one definition's code, each compiled from its own source and running in its own JVM, on one
 * database. Every job has one attempt, so a version that spends it for nothing fails the job.
 */
@Tag("full")
class RollingDeploymentTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(90);

    @TempDir
    Path folder;

    private final String url = TestPostgres.get().newDatabase(PostgresStore::migrate);
    private final HikariDataSource pool = TestPostgres.pool(new PatientDataSource(url), 8);
    private final List<CodeVersion> versions = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Longhaul watching;

    @BeforeEach
    void watch() {
        watching = Longhaul.builder().postgres(pool).enqueueOnly().start();
    }

    @AfterEach
    void close() {
        versions.forEach(CodeVersion::close);
        watching.close();
        pool.close();
    }

    @Test
    void an_old_worker_ignores_a_field_that_a_new_producer_adds() throws Exception {
        start("old", version("old", "String to", "to"), "worker").awaitReady();
        CodeVersion producer = start("new", version("new", "String to, String note", "to, \"hi\""), "producer")
                .awaitReady();

        Job job = await(producer.submit("ann"), RollingDeploymentTest::ended);

        assertThat(job.result()).isEqualTo("\"old Mail[to=ann]\"");
        assertThat(job.tally().run()).isEqualTo(1);
    }

    @Test
    void a_new_worker_reads_jobs_of_an_old_producer_without_an_optional_field() throws Exception {
        start("new", version("new", "String to, java.util.Optional<String> note", "to, null"), "worker")
                .awaitReady();
        CodeVersion producer =
                start("old", version("old", "String to", "to"), "producer").awaitReady();

        Job job = await(producer.submit("ann"), RollingDeploymentTest::ended);

        assertThat(job.result()).isEqualTo("\"new Mail[to=ann, note=Optional.empty]\"");
    }

    @Test
    void a_job_that_no_worker_can_read_waits_with_its_attempt_until_one_comes() throws Exception {
        String old = version("old", "String to", "to");
        start("new", version("new", "String to, String note", "to, \"hi\""), "worker")
                .awaitReady();
        CodeVersion producer = start("old", old, "producer").awaitReady();

        String id = producer.submit("ann");
        Job left = await(id, job -> job.failure() != null);

        assertThat(left.status()).isIn(JobStatus.SCHEDULED, JobStatus.QUEUED, JobStatus.RUNNING);
        assertThat(left.failure())
                .isEqualTo(Failure.of(Failure.PARAMS_UNREADABLE, "params.note: missing (expected: required)"));

        start("old-worker", old, "worker");
        Job job = await(id, RollingDeploymentTest::ended);

        assertThat(job.result()).isEqualTo("\"old Mail[to=ann]\"");
        assertThat(job.tally().attempts()).isEqualTo(1);
        assertThat(watching.store().jobs().runs(job.id())).first().satisfies(run -> {
            assertThat(run.status()).isEqualTo(RunStatus.SNOOZED);
            assertThat(run.failure()).isEqualTo(left.failure());
        });
    }

    @Test
    void nothing_fails_while_both_versions_produce_and_work() throws Exception {
        // Neither version reads the other's params: each has a required field that the other does not write.
        CodeVersion old = start("old", version("old", "String to, int copies", "to, 1"), "worker");
        CodeVersion next = start("new", version("new", "String to, String note", "to, \"hi\""), "worker");
        old.awaitReady();
        next.awaitReady();
        var ofOld = new ArrayList<String>();
        var ofNew = new ArrayList<String>();
        for (int i = 0; i < 4; i++) {
            ofOld.add(old.submit("ann" + i));
            ofNew.add(next.submit("bob" + i));
        }

        for (String id : ofOld) {
            assertThat(await(id, RollingDeploymentTest::ended).result())
                    .startsWith("\"old Mail[to=ann")
                    .endsWith(", copies=1]\"");
        }
        for (String id : ofNew) {
            assertThat(await(id, RollingDeploymentTest::ended).result())
                    .startsWith("\"new Mail[to=bob")
                    .endsWith(", note=hi]\"");
        }
    }

    /** The class {@code shop.Mails} with a record of these components, created from a text by these arguments. */
    private static String version(String name, String components, String arguments) {
        return """
                package shop;
                import dev.longhaul.*;
                import dev.longhaul.json.*;
                import java.util.*;
                public final class Mails implements JobDefinitions, java.util.function.Function<String, Object> {
                    public record Mail(%s) {}
                    @Override public List<JobDefinition<?, ?>> definitions() {
                        return List.of(JobDefinition.of("shop.mail", Mail.class, String.class).maxAttempts(1)
                                .handler((mail, context) -> "%s " + mail));
                    }
                    @Override public Object apply(String to) {
                        return new Mail(%s);
                    }
                }
                """.formatted(components, name, arguments);
    }

    private CodeVersion start(String name, String source, String role) {
        var version = CodeVersion.start(folder.resolve(name), source, url, role);
        versions.add(version);
        return version;
    }

    private static boolean ended(Job job) {
        return job.state().terminal();
    }

    private Job await(String id, Predicate<Job> condition) throws InterruptedException {
        long began = System.nanoTime();
        while (System.nanoTime() - began < PATIENCE) {
            Job job = watching.find(JobId.parse(id)).orElseThrow();
            if (condition.test(job)) {
                return job;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("still waiting: " + watching.find(JobId.parse(id)));
    }
}
