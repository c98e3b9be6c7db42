package dev.longhaul.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.Report;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.kubernetes.job.PodNames;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Outcome;
import dev.longhaul.work.Verdict;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No two pods of one job: claims that are lost while a pod starts, and pods of earlier runs. */
@Tag("full")
class StartTest {
    private static final JobDefinition<JsonNode, JsonNode> ELSEWHERE =
            PodBench.definition("elsewhere", Isolation.pod(PodBench.IMAGE).namespace("other"));

    @TempDir
    Path directory;

    private RunBench bench;

    @BeforeEach
    void start() {
        open(settings -> settings);
    }

    private void open(UnaryOperator<PodSettings> settings) {
        bench = new RunBench(directory, settings, PodBench.SHELL, ELSEWHERE);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Nested
    class LostClaim {
        @Test
        void creates_nothing() throws Exception {
            bench.insert(PodBench.SHELL, "true");
            LiveRun run = bench.claimExtended(PodBench.SHELL);
            // As a renewal does that finds the job claimed by another worker.
            run.lose();
            assertThat(RunBench.soon(bench.execute(run))).isInstanceOf(Outcome.LeftRunning.class);
            assertThat(bench.cluster.requests("POST jobs")).isZero();
        }

        @Test
        void deletes_the_job_it_has_created_and_starts_no_container() throws Exception {
            bench.insert(PodBench.SHELL, "true");
            LiveRun run = bench.claim(PodBench.SHELL);
            run.onLonger(run::lose);
            assertThat(RunBench.soon(bench.execute(run))).isInstanceOf(Outcome.LeftRunning.class);
            assertThat(bench.cluster.requests("POST jobs")).isEqualTo(1);
            assertThat(bench.cluster.requests("POST secrets")).isZero();
            assertThat(bench.cluster.jobs("jobs")).isEmpty();
        }

        @Test
        void starts_no_container_while_the_store_has_not_confirmed_it() throws Exception {
            bench.close();
            open(settings -> settings.withStartTimeout(Duration.ofMillis(500)));
            bench.insert(PodBench.SHELL, "true");
            LiveRun run = bench.claim(PodBench.SHELL);
            Outcome outcome = RunBench.soon(bench.execute(run));
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            Outcome.Failed.class,
                            failed -> assertThat(failed.failure())
                                    .matches(failure -> failure.code().equals(Failure.NOT_STARTED))
                                    .matches(failure -> failure.message().contains("lease")));
            assertThat(bench.cluster.requests("POST secrets")).isZero();
            assertThat(bench.cluster.jobs("jobs")).isEmpty();
        }
    }

    @Nested
    class ExistingJob {
        @Test
        void of_the_same_name_is_not_followed_and_the_next_run_ends_it() throws Exception {
            JobId id = bench.insert(PodBench.SHELL, "echo up");
            bench.createJob(id, 1, "jobs", PodBench.IMAGE);
            LiveRun run = bench.claimExtended(PodBench.SHELL);
            assertThat(RunBench.soon(bench.execute(run))).isInstanceOf(Outcome.Snoozed.class);
            assertThat(bench.cluster.requests("POST secrets")).isZero();
            bench.giveBack(run);
            LiveRun next = bench.claimExtended(PodBench.SHELL);
            assertThat(RunBench.soon(bench.execute(next))).isInstanceOf(Outcome.Returned.class);
            assertThat(bench.names(bench.cluster.jobs("jobs"))).containsExactly("lh-" + id + "-r2");
        }

        @Test
        void that_another_worker_has_taken_over_is_left_alone() throws Exception {
            JobId id = bench.insert(PodBench.SHELL, "true");
            bench.createJob(id, 1, "jobs", PodBench.IMAGE);
            bench.cluster.annotate("jobs", "lh-" + id + "-r1", "longhaul.dev/followers", "2");
            LiveRun run = bench.claimExtended(PodBench.SHELL);
            assertThat(RunBench.soon(bench.execute(run))).isInstanceOf(Outcome.LeftRunning.class);
            assertThat(bench.cluster.jobs("jobs")).hasSize(1);
            assertThat(bench.cluster.podsEver()).hasSize(1);
        }
    }

    @Nested
    class EarlierRun {
        /** Claims the second run of a new job. */
        private LiveRun claimAgain() {
            bench.insert(PodBench.SHELL, "true");
            bench.giveBack(bench.claim(PodBench.SHELL));
            LiveRun second = bench.claimExtended(PodBench.SHELL);
            assertThat(second.claim().run()).isEqualTo(2);
            return second;
        }

        private boolean hasStarted(LiveRun run) {
            return bench.names(bench.cluster.jobs("jobs")).contains(PodNames.of(run.claim()));
        }

        @Test
        void ends_in_another_namespace_first() throws Exception {
            LiveRun second = claimAgain();
            JobId id = second.claim().jobId();
            bench.createJob(id, 1, "other", PodBench.IMAGE);
            assertThat(RunBench.soon(bench.execute(second))).isInstanceOf(Outcome.Returned.class);
            assertThat(bench.cluster.jobs("other")).isEmpty();
            assertThat(bench.cluster.pods("other")).isEmpty();
        }

        @Test
        void ends_first_although_no_watch_has_reported_it() throws Exception {
            LiveRun second = claimAgain();
            JobId id = second.claim().jobId();
            bench.cluster.freezeWatches();
            bench.createJob(id, 1, "jobs", PodBench.IMAGE);
            CompletableFuture<Outcome> outcome = bench.execute(second);
            PodBench.await("the second run starts", () -> hasStarted(second));
            assertThat(bench.names(bench.cluster.jobs("jobs"))).containsExactly("lh-" + id + "-r2");
            assertThat(bench.names(bench.cluster.pods("jobs"))).allMatch(name -> name.startsWith("lh-" + id + "-r2"));
            PodBench.await("the outcome", () -> {
                bench.executor.cluster().view("jobs").relist();
                return outcome.isDone();
            });
            assertThat(outcome.get()).isInstanceOf(Outcome.Returned.class);
        }

        @Test
        void on_an_unreachable_node_is_waited_for() throws Exception {
            bench.close();
            open(settings -> settings.withCancelGrace(Duration.ZERO).withUnreachableAfter(Duration.ZERO));
            LiveRun second = claimAgain();
            JobId id = second.claim().jobId();
            bench.createJob(id, 1, "jobs", "registry.example.org/unreachable");
            CompletableFuture<Outcome> outcome = bench.execute(second);
            PodBench.await("the reason", () -> reported(second, "waiting for the node"));
            assertThat(hasStarted(second)).isFalse();
            second.lose();
            assertThat(RunBench.soon(outcome)).isInstanceOf(Outcome.LeftRunning.class);
            assertThat(bench.cluster.pods("jobs")).hasSize(1);
        }

        @Test
        void on_an_unreachable_node_is_deleted_by_force_if_asked() throws Exception {
            bench.close();
            open(settings -> settings.withCancelGrace(Duration.ZERO)
                    .withUnreachableAfter(Duration.ZERO)
                    .withForceUnreachable(true));
            LiveRun second = claimAgain();
            JobId id = second.claim().jobId();
            bench.createJob(id, 1, "jobs", "registry.example.org/unreachable");
            assertThat(RunBench.soon(bench.execute(second))).isInstanceOf(Outcome.Returned.class);
            assertThat(bench.names(bench.cluster.pods("jobs"))).noneMatch(name -> name.startsWith("lh-" + id + "-r1"));
        }
    }

    /** Takes what the run has reported; returns whether an event contains the text. */
    private static boolean reported(LiveRun run, String text) {
        Report.Part part = run.report().take(run);
        return part != null
                && part.update().events().stream()
                        .anyMatch(event -> String.valueOf(event.payload()).contains(text));
    }

    @Nested
    class Failures {
        @Test
        void of_the_worker_do_not_end_the_run() throws Exception {
            bench.insert(PodBench.SHELL, "echo up");
            LiveRun run = bench.claimExtended(PodBench.SHELL);
            var planted = new AtomicInteger(2);
            var faulty = (Execution) Proxy.newProxyInstance(
                    StartTest.class.getClassLoader(), new Class<?>[] {Execution.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("report") && planted.getAndDecrement() > 0) {
                            throw new NoClassDefFoundError("planted");
                        }
                        return method.invoke(run, arguments);
                    });
            assertThat(RunBench.soon(CompletableFuture.supplyAsync(() -> bench.executor.execute(faulty))))
                    .isInstanceOf(Outcome.Returned.class);
            assertThat(planted.get()).isLessThanOrEqualTo(0);
            assertThat(reported(run, "{\"stream")).as("output").isTrue();
            assertThat(bench.cluster.podsEver()).hasSize(1);
        }
    }

    @Nested
    class Takeover {
        @Test
        void waits_until_the_api_server_is_available_again() throws Exception {
            JobId id = bench.insert(PodBench.SHELL, "true");
            bench.createJob(id, 1, "jobs", PodBench.IMAGE);
            bench.cluster.annotate("jobs", "lh-" + id + "-r1", "longhaul.dev/follower", RunBench.WORKER);
            LiveRun run = bench.claimTakenOver(PodBench.SHELL);
            bench.cluster.stopApiServer();
            var reads = new AtomicInteger();
            var observed = (Execution) Proxy.newProxyInstance(
                    StartTest.class.getClassLoader(), new Class<?>[] {Execution.class}, (proxy, method, arguments) -> {
                        // Asked before each attempt to read the Job.
                        if (method.getName().equals("lost") && reads.incrementAndGet() == 2) {
                            bench.cluster.startApiServer();
                        }
                        return method.invoke(run, arguments);
                    });
            CompletableFuture<Outcome> outcome = CompletableFuture.supplyAsync(() -> bench.executor.execute(observed));
            PodBench.await("output", () -> reported(run, "takenOver"));
            bench.draining.set(true);
            run.draining();
            assertThat(RunBench.soon(outcome)).isInstanceOf(Outcome.LeftRunning.class);
            assertThat(bench.cluster.pods("jobs")).hasSize(1);
        }
    }

    @Nested
    class Leaving {
        @Test
        void waits_until_the_output_is_stored() throws Exception {
            JobId id = bench.insert(PodBench.SHELL, "echo one; exec sleep 60");
            LiveRun run = bench.claimExtended(PodBench.SHELL);
            CompletableFuture<Outcome> outcome = bench.execute(run);
            PodBench.await("output", () -> reported(run, "{\"stream"));
            bench.draining.set(true);
            run.draining();
            Report.Part[] last = new Report.Part[1];
            PodBench.await("a part that the run waits for", () -> {
                Report.Part part = run.report().take(run);
                last[0] = part == null ? last[0] : part;
                return last[0] != null && !last[0].waiters().isEmpty();
            });
            String name = "lh-" + id + "-r1";
            assertThat(bench.annotations(name).path("longhaul.dev/follower").asText())
                    .isEqualTo(RunBench.WORKER);
            last[0].complete(Verdict.WON);
            assertThat(RunBench.soon(outcome)).isInstanceOf(Outcome.LeftRunning.class);
            assertThat(bench.annotations(name).path("longhaul.dev/follower").asText())
                    .isEmpty();
            assertThat(bench.annotations(name).has("longhaul.dev/logged-until")).isTrue();
        }

        @Test
        void does_not_mark_output_that_is_not_stored() throws Exception {
            JobId id = bench.insert(PodBench.SHELL, "echo one; exec sleep 60");
            LiveRun run = bench.claimExtended(PodBench.SHELL);
            CompletableFuture<Outcome> outcome = bench.execute(run);
            PodBench.await("output", () -> reported(run, "{\"stream"));
            bench.draining.set(true);
            run.draining();
            assertThat(RunBench.soon(outcome)).isInstanceOf(Outcome.LeftRunning.class);
            String name = "lh-" + id + "-r1";
            assertThat(bench.annotations(name).path("longhaul.dev/follower").asText())
                    .isEmpty();
            assertThat(bench.annotations(name).has("longhaul.dev/logged-until")).isFalse();
            assertThat(bench.cluster.pods("jobs")).hasSize(1);
        }
    }
}
