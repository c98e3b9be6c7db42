package dev.longhaul.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.isolation.ChildJobs.Add;
import dev.longhaul.isolation.ChildJobs.Nothing;
import dev.longhaul.isolation.ChildJobs.Sum;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.JobCommand;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Java code in separate processes. */
class ChildTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Longhaul LONGHAUL = Longhaul.builder()
            .memory()
            .register(new ChildJobs().definitions().toArray(JobDefinition<?, ?>[]::new))
            .cancelGrace(Duration.ofMillis(300))
            .drain(Duration.ZERO)
            .start();
    private static final Isolated JOBS = new Isolated(LONGHAUL);

    @AfterAll
    static void close() {
        LONGHAUL.close();
    }

    @Test
    void returns_its_result_and_reports_as_from_a_thread() throws InterruptedException {
        JobId id = LONGHAUL.later(ChildJobs.ADD, new Add(1, 2));
        Sum sum = LONGHAUL.await(ChildJobs.ADD, id, PATIENCE).data();

        assertThat(sum.sum()).isEqualTo(3);
        assertThat(sum.pid()).isNotEqualTo(ProcessHandle.current().pid());
        assertThat(JOBS.ended(id).progress().percent()).isEqualTo(50);
        assertThat(JOBS.log(id)).isEqualTo("adding 1");
        assertThat(JOBS.payloads(id, EventType.LOG).get(0).get("data")).hasToString("{\"b\":2,\"to\":[\"sum\"]}");
        assertThat(JOBS.output(id)).isEqualTo("on stdout\n");
        assertThat(JOBS.payloads(id, EventType.CUSTOM).get(0).get("name").asText())
                .isEqualTo("seen");
        assertThat(JOBS.payloads(id, EventType.PROCESS_START)).hasSize(1);
        assertThat(JOBS.payloads(id, EventType.PROCESS_END)
                        .get(0)
                        .get("exitCode")
                        .asInt())
                .isZero();
    }

    @Test
    void has_a_process_for_each_run() {
        Sum first = LONGHAUL.now(ChildJobs.ADD, new Add(1, 2)).data();
        Sum second = LONGHAUL.now(ChildJobs.ADD, new Add(3, 4)).data();
        assertThat(first.pid()).isNotEqualTo(second.pid());
        assertThat(ProcessHandle.of(first.pid())).isEmpty();
    }

    @Test
    void does_a_step_once() throws InterruptedException {
        JobId id = LONGHAUL.later(ChildJobs.STEPS, new Nothing());
        assertThat(LONGHAUL.await(ChildJobs.STEPS, id, PATIENCE).data()).isEqualTo("by run 1, then run 2");
    }

    @Test
    @Tag("full")
    @Tag("jdk")
    void is_retried_by_its_own_policy() {
        JobId id = LONGHAUL.later(ChildJobs.FUSSY, new Nothing());
        assertThat(JOBS.failure(id).message()).isEqualTo("never again");
        assertThat(JOBS.failure(id).type()).isEqualTo(UnsupportedOperationException.class.getName());
        assertThat(JOBS.failure(id).stack()).contains("ChildJobs");
        assertThat(JOBS.ended(id).tally().attempts()).isEqualTo(1);
    }

    @Test
    void may_snooze() throws InterruptedException {
        JobId id = LONGHAUL.later(ChildJobs.SNOOZER, new Nothing());
        assertThat(LONGHAUL.await(ChildJobs.SNOOZER, id, PATIENCE).data()).isEqualTo("run 2, attempt 1");
    }

    @Test
    void is_notified_of_a_cancel() {
        JobId id = LONGHAUL.later(ChildJobs.POLITE, new Nothing());
        JOBS.await(id, job -> JOBS.log(id).contains("waiting"));
        LONGHAUL.store().jobs().execute(JobCommand.cancel(id, null, null, Duration.ofSeconds(20)));
        assertThat(JOBS.ended(id).state()).isEqualTo(JobState.CANCELLED);
        assertThat(JOBS.log(id)).contains("notified: true");
    }

    @Test
    void is_killed_when_it_ignores_a_cancel() {
        JobId id = LONGHAUL.later(ChildJobs.STUBBORN, new Nothing());
        JOBS.await(id, job -> JOBS.log(id).contains("waiting"));
        long pid = JOBS.payloads(id, EventType.PROCESS_START).get(0).get("pid").asLong();
        LONGHAUL.store().jobs().execute(JobCommand.cancel(id, null, null, null));
        assertThat(JOBS.ended(id).state()).isEqualTo(JobState.CANCELLED);
        assertThat(ProcessHandle.of(pid)).isEmpty();
    }

    @Test
    @Tag("full")
    @Tag("jdk")
    void that_crashes_three_times_is_quarantined() {
        Job job = JOBS.ended(LONGHAUL.later(ChildJobs.CRASHER, new Nothing()));
        assertThat(job.tally().crashes()).isEqualTo(3);
        assertThat(job.failure().code()).isEqualTo("quarantined");
        assertThat(job.failure().message()).contains("exited with code 9");
    }

    @Test
    @Tag("full")
    @Tag("jdk")
    void whose_jvm_exits_before_it_is_ready_is_retried_by_its_policy_and_has_not_crashed() {
        try (var broken =
                Longhaul.builder().memory().register(BrokenJobs.BROKEN).start()) {
            Job job = new Isolated(broken).ended(broken.later(BrokenJobs.BROKEN, new Nothing()));
            assertThat(job.failure().message())
                    .isEqualTo("the process exited with code 7 before it was ready to run the job");
            assertThat(job.tally().attempts()).isEqualTo(2);
            assertThat(job.tally().crashes()).isZero();
        }
    }

    @Test
    @Tag("full")
    @Tag("jdk")
    void that_exits_as_a_jvm_without_memory_does_has_crashed() {
        Job job = JOBS.ended(LONGHAUL.later(ChildJobs.LEAVER, new Nothing()));
        assertThat(job.tally().crashes()).isEqualTo(3);
        assertThat(job.failure().message()).contains("exited with code 3");
    }

    @Test
    @Tag("full")
    @Tag("jdk")
    void that_uses_too_much_memory_is_ended_with_that_reason() {
        JobId id = LONGHAUL.later(ChildJobs.HOG, new Nothing());
        assertThat(JOBS.failure(id).code()).isEqualTo("out_of_memory");
        assertThat(JOBS.failure(id).message())
                .startsWith("out of memory: Java heap full (64 MiB of the memory limit of 128 MiB)");
    }

    @Test
    void gets_an_exception_for_a_report_that_is_rejected() throws InterruptedException {
        JobId id = LONGHAUL.later(ChildJobs.CARELESS, new Nothing());
        assertThat(LONGHAUL.await(ChildJobs.CARELESS, id, PATIENCE).data())
                .isEqualTo(new ChildJobs.Refusals(
                        "progress: 101 (expected: 0 to 100)",
                        "payload: 9437209 bytes (expected: <= 262144 bytes)",
                        "result: 9437186 bytes (expected: <= 262144 bytes)"));
        assertThat(JOBS.log(id)).startsWith("much: mmm");
    }

    @Test
    void whose_result_is_too_large_fails_with_that_reason() {
        JobId id = LONGHAUL.later(ChildJobs.LAVISH, new Nothing());
        assertThat(JOBS.failure(id).code()).isEqualTo("result_too_large");
    }

    @Test
    void sees_only_its_own_environment() {
        ChildJobs.Seen seen = LONGHAUL.now(ChildJobs.OBSERVER, new Nothing()).data();
        assertThat(seen.environment()).containsEntry("GIVEN", "by the definition");
        assertThat(seen.environment().keySet())
                .isSubsetOf("GIVEN", "HOME", "PATH", "PWD", "TMPDIR", "LANG", "LC_ALL", "TZ", "SHLVL", "_", "OLDPWD");
        assertThat(seen.directory()).contains("longhaul-work-");
    }

    @Test
    void is_notified_when_the_worker_shuts_down() {
        var store = new MemoryStore();
        JobId id;
        try (var shuttingDown = Longhaul.builder()
                .store(store)
                .register(ChildJobs.PATIENT)
                .drain(PATIENCE)
                .start()) {
            var jobs = new Isolated(shuttingDown);
            id = shuttingDown.later(ChildJobs.PATIENT, new Nothing());
            jobs.await(id, job -> jobs.log(id).contains("waiting"));
        }
        assertThat(store.jobs().find(id).orElseThrow().state()).isEqualTo(JobState.SUCCEEDED);
    }

    @Test
    void must_come_from_a_provider() {
        JobDefinition<Nothing, String> local = JobDefinition.of("local", Nothing.class, String.class)
                .isolation(Isolation.process())
                .handler((params, context) -> "");
        assertThatThrownBy(() -> Longhaul.builder().memory().register(local).start())
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("isolation of local@1: process (expected: a definition provided by a"
                        + " dev.longhaul.JobDefinitions listed in META-INF/services");
    }
}
