package dev.longhaul.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.engine.run.Workbench;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class BeginsTest {
    private final Workbench bench = new Workbench();
    private final Begins begins = new Begins(bench.store, bench.live);

    @AfterEach
    void close() {
        begins.close();
    }

    @Nested
    class First {
        @Test
        void waits_until_the_begin_is_stored() throws Exception {
            LiveRun run = claimed(1, ClaimRequest.Begin.ORDINARY);
            var blocked = new CountDownLatch(1);
            bench.faults.next("begin", FaultyStore.unavailable());
            bench.faults.next("begin", call -> {
                blocked.await();
                return call.goOn();
            });
            begins.start();
            var threads = Executors.newSingleThreadExecutor();
            Future<Boolean> begun = threads.submit(() -> {
                begins.await(run);
                return run.begun();
            });
            bench.awaitCalls("begin", 2);
            assertThat(begun.isDone()).isFalse();
            blocked.countDown();

            assertThat(Workbench.soon(begun)).isTrue();
            threads.shutdown();
        }

        @Test
        void stops_a_run_whose_claim_is_lost() throws Exception {
            LiveRun run = claimed(1, ClaimRequest.Begin.ORDINARY);
            bench.steal(run);
            begins.start();
            begins.await(run);

            assertThat(run.begun()).isFalse();
            assertThat(run.lost()).isTrue();
        }

        @Test
        void ends_when_the_run_is_to_stop() throws Exception {
            LiveRun run = claimed(1, ClaimRequest.Begin.ORDINARY);
            bench.faults.always("begin", FaultyStore.unavailable());
            begins.start();
            var threads = Executors.newSingleThreadExecutor();
            Future<Boolean> begun = threads.submit(() -> {
                begins.await(run);
                return run.begun();
            });
            bench.awaitCalls("begin", 1);
            run.stop(LiveRun.Stop.RELEASE);

            assertThat(Workbench.soon(begun)).isFalse();
            threads.shutdown();
        }

        @Test
        void is_tried_again_while_its_row_is_locked() throws Exception {
            LiveRun run = claimed(1, ClaimRequest.Begin.ORDINARY);
            bench.faults.next("begin", call -> List.of(Verdict.LOCKED));
            begins.start();
            begins.await(run);

            assertThat(run.begun()).isTrue();
            assertThat(run.lost()).isFalse();
        }

        @Test
        void does_not_count_as_time_of_the_job() throws Exception {
            var quick = JobDefinition.of("quick", Workbench.Empty.class, Workbench.Empty.class)
                    .maxAttempts(1)
                    .timeout(Duration.ofSeconds(1))
                    .handler((params, context) -> new Workbench.Empty());
            var spec = JobSpec.of(quick.ref(), "{}")
                    .maxAttempts(1)
                    .timeout(Duration.ofSeconds(1))
                    .build();
            long began = System.nanoTime();
            bench.faults.always("begin", call -> {
                if (System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(1500)) {
                    throw new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable");
                }
                return call.goOn();
            });
            bench.source.insert(List.of(spec));
            var registry = new Registry();
            registry.register(quick);
            try (var backend = new WorkerBackend(
                    bench.store,
                    Map.of(Isolation.THREAD, new ThreadExecutor()),
                    registry,
                    WorkerConfig.DEFAULT,
                    null)) {
                backend.initialize();
                ClaimedJob claimed = backend.claim(1).get(0);

                assertThat(backend.execute(claimed).success()).isTrue();
            }
        }
    }

    @Nested
    class Soon {
        @Test
        void is_stored_while_the_code_runs_and_costs_nothing_before_or_after() {
            LiveRun waiting = claimed(3, ClaimRequest.Begin.NONE);
            LiveRun over = claimed(3, ClaimRequest.Begin.NONE);
            over.begin(Thread.currentThread());
            over.end();
            begins.runOnce();
            assertThat(bench.faults.calls("begin")).isZero();

            waiting.begin(Thread.currentThread());
            begins.runOnce();
            begins.runOnce();
            assertThat(waiting.begun()).isTrue();
            assertThat(bench.faults.calls("begin")).isEqualTo(1);
        }

        @Test
        void never_waits() {
            bench.faults.always("begin", FaultyStore.unavailable());
            LiveRun run = claimed(3, ClaimRequest.Begin.NONE);
            var hooks = new HookRunner(bench.store, new Registry());
            var completions = new Completions(bench.store, bench.live, bench.reports, (one, transition) -> {});
            var notices = new Notices(bench.store);
            new JobRunner(Map.of(Isolation.THREAD, new ThreadExecutor()), begins, hooks, completions, notices, false)
                    .run(run);

            assertThat(run.ended()).isTrue();
            assertThat(run.begun()).isFalse();
        }
    }

    @Nested
    class Adoption {
        @Test
        void that_fails_gives_the_job_back_unspent() {
            var spec = JobSpec.of(Workbench.NOTHING.ref(), "{}").build();
            bench.source.insert(List.of(spec));
            try (var backend = new WorkerBackend(
                    bench.store,
                    Map.of(Isolation.THREAD, new ThreadExecutor()),
                    new Registry(),
                    WorkerConfig.DEFAULT,
                    null)) {
                ClaimedJob claimed = bench.byId().claimOne(spec.id(), Claim.newKey(), "worker", Workbench.LEASE);

                assertThat(backend.live().adoptOrGiveBack(claimed, Duration.ZERO))
                        .isNull();
                assertThat(bench.source.find(spec.id()).orElseThrow().status()).isEqualTo(JobStatus.QUEUED);
                assertThat(bench.source.find(spec.id()).orElseThrow().tally().attempts())
                        .isZero();
            }
        }
    }

    @Nested
    class Stopping {
        @Test
        void gives_back_the_jobs_of_a_claim_without_a_response() {
            var spec = JobSpec.of(Workbench.NOTHING.ref(), "{}").build();
            bench.source.insert(List.of(spec));
            bench.faults.next("claim", FaultyStore.unanswered());
            bench.faults.next("claimed", FaultyStore.unavailable());
            var waiting = new CountDownLatch(1);
            bench.faults.next("claimed", call -> {
                waiting.await(Workbench.PATIENCE_SECONDS, TimeUnit.SECONDS);
                return call.goOn();
            });
            var registry = new Registry();
            registry.register(Workbench.NOTHING);
            var backend = new WorkerBackend(
                    bench.store, Map.of(Isolation.THREAD, new ThreadExecutor()), registry, WorkerConfig.DEFAULT, null);
            backend.initialize();
            var worker = new Worker(bench.store, registry, WorkerConfig.DEFAULT, backend);
            worker.start();
            bench.awaitCalls("claimed", 2);
            worker.close();

            assertThat(bench.source.find(spec.id()).orElseThrow().tally().attempts())
                    .isZero();
        }
    }

    /** A claimed run of a job with the given number of attempts. */
    private LiveRun claimed(int attempts, ClaimRequest.Begin begin) {
        var spec =
                JobSpec.of(Workbench.NOTHING.ref(), "{}").maxAttempts(attempts).build();
        bench.source.insert(List.of(spec));
        ClaimedJob claimed = bench.source
                .claim(ClaimRequest.of("worker", List.of(JobSpec.DEFAULT_QUEUE), null, 1, Workbench.LEASE)
                        .beginning(begin))
                .get(0);
        var run = new LiveRun(
                claimed, Workbench.NOTHING, bench.surroundings, RunTracing.OFF.claimed(claimed, Duration.ZERO));
        bench.live.add(run);
        return run;
    }
}
