package dev.longhaul;

import static dev.longhaul.BatchOptions.concurrency;
import static dev.longhaul.JobOptions.options;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.work.ClaimRequest;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The library's API for enqueueing and running jobs, on each store. */
@Execution(ExecutionMode.CONCURRENT) // Each test has a store of its own.
abstract class LonghaulContract extends LonghaulFixture {
    @Nested
    class Later {
        @Test
        void runs_a_job_and_returns_its_result() throws Exception {
            start(ADD);
            JobId id = longhaul.later(ADD, new Add(2, 3));
            JobResult<Sum> result = longhaul.await(ADD, id, PATIENCE);
            assertThat(result.status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(result.orThrow()).isEqualTo(new Sum(5));
        }

        @Test
        void runs_many() throws Exception {
            start(ADD);
            List<Add> many =
                    IntStream.range(0, 500).mapToObj(i -> new Add(i, 1)).toList();
            List<JobId> ids = longhaul.laterAll(ADD, many, options());
            for (int i = 0; i < ids.size(); i++) {
                assertThat(longhaul.await(ADD, ids.get(i), PATIENCE).orThrow()).isEqualTo(new Sum(i + 1));
            }
        }

        @Test
        void a_failed_attempt_is_retried_with_its_steps_kept() throws Exception {
            var fetched = new AtomicInteger();
            var definition = JobDefinition.of("test.steps", Add.class, Sum.class)
                    .retry(AT_ONCE)
                    .handler((params, context) -> {
                        int a = context.step("fetch", Integer.class, () -> {
                            fetched.incrementAndGet();
                            return params.a();
                        });
                        if (context.attempt() < 3) {
                            throw new IllegalStateException("attempt " + context.attempt());
                        }
                        return new Sum(a + params.b());
                    });
            start(definition);
            JobId id = longhaul.later(definition, new Add(1, 1));
            JobResult<Sum> result = longhaul.await(definition, id, PATIENCE);
            assertThat(result.orThrow()).isEqualTo(new Sum(2));
            assertThat(result.attempts()).isEqualTo(3);
            assertThat(fetched).hasValue(1);
        }

        @Test
        void progress_and_log_lines_are_stored() throws Exception {
            var definition = JobDefinition.of("test.report", Add.class, Sum.class)
                    .handler((params, context) -> {
                        context.progress(50, "half");
                        context.log().info("adding {} and {}", params.a(), params.b());
                        context.emit("hint", List.of(1, 2));
                        return new Sum(0);
                    });
            start(definition);
            JobId id = longhaul.later(definition, new Add(1, 1));
            assertThat(longhaul.await(definition, id, PATIENCE).succeeded()).isTrue();
            assertThat(longhaul.store().jobs().events(EventQuery.of(id)))
                    .extracting(JobEvent::type)
                    .containsExactly(
                            EventType.CREATED,
                            EventType.STARTED,
                            EventType.PROGRESS,
                            EventType.LOG,
                            EventType.CUSTOM,
                            EventType.SUCCEEDED);
        }
    }

    @Nested
    class Cancel {
        @Test
        void notifies_running_code_and_ends_as_cancelled() throws Exception {
            var started = new CountDownLatch(1);
            var definition = JobDefinition.of("test.cancel", Add.class, Sum.class)
                    .handler((params, context) -> {
                        started.countDown();
                        while (true) {
                            context.throwIfCancelled();
                            Thread.sleep(5);
                        }
                    });
            start(definition);
            JobId id = longhaul.later(definition, new Add(1, 1));
            assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(longhaul.cancel(id).status()).isEqualTo(JobStatus.CANCELLING);
            assertThat(longhaul.await(definition, id, PATIENCE).status()).isEqualTo(JobStatus.CANCELLED);
        }
    }

    @Nested
    class Now {
        @Test
        void runs_in_the_calling_thread_and_returns_the_result() {
            start(ADD);
            JobResult<Sum> result = longhaul.now(ADD, new Add(1, 2));
            assertThat(result.data()).isEqualTo(new Sum(3));
            assertThat(result.id()).isNotNull();
            assertThat(longhaul.nowUnstored(ADD, new Add(1, 2)).id()).isNull();
        }

        @Test
        void a_failure_is_thrown_with_the_stored_result() {
            var definition = JobDefinition.of("test.fail", Add.class, Sum.class).handler((params, context) -> {
                throw new IllegalStateException("no");
            });
            start(definition);
            assertThatThrownBy(() -> longhaul.now(definition, new Add(1, 2)))
                    .isInstanceOfSatisfying(JobFailedException.class, e -> {
                        assertThat(e.result().status()).isEqualTo(JobStatus.FAILED);
                        assertThat(e).hasMessageContaining("exception: no");
                    });
        }

        @Test
        void a_batch_returns_results_in_order_and_stops_on_an_error_on_request() {
            var definition = JobDefinition.of("test.batch", Add.class, Sum.class)
                    .handler((params, context) -> {
                        if (params.a() == 3) {
                            throw new IllegalStateException("three");
                        }
                        return new Sum(params.a());
                    });
            start(definition);
            List<Add> params = List.of(new Add(1, 0), new Add(2, 0), new Add(3, 0), new Add(4, 0));
            assertThat(longhaul.batch(definition, params, concurrency(2)))
                    .extracting(JobResult::status)
                    .containsExactly(JobStatus.SUCCEEDED, JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.SUCCEEDED);
            List<JobResult<Sum>> stopped =
                    longhaul.batch(definition, params, concurrency(1).stopOnError());
            assertThat(stopped).extracting(JobResult::started).containsExactly(true, true, true, false);
        }
    }

    @Nested
    class Ticks {
        @Test
        void a_tick_runs_due_jobs_and_reports() {
            longhaul = builder().register(ADD).enqueueOnly().start();
            for (int i = 0; i < 7; i++) {
                longhaul.later(ADD, new Add(i, i));
            }
            TickReport report = longhaul.tick();
            assertThat(report.executed()).hasSize(5).allMatch(executed -> executed.success());
            assertThat(report.waiting()).isEqualTo(2);
        }

        @Test
        void a_tick_fires_due_schedules_and_runs_their_jobs() throws Exception {
            longhaul = builder().register(ADD).enqueueOnly().start();
            longhaul.schedules().create(NewSchedule.of("soon").every(ofSeconds(1)), ADD, new Add(1, 2));
            Instant until = Instant.now().plus(PATIENCE);
            TickReport report = longhaul.tick();
            while (report.fired() == 0 && Instant.now().isBefore(until)) {
                Thread.sleep(20);
                report = longhaul.tick(100);
            }
            assertThat(report.fired()).isPositive();
            assertThat(report.executed()).hasSize(report.fired()).allMatch(executed -> executed.success());
        }
    }

    @Nested
    class Presence {
        @Test
        void a_process_registers_its_definitions() {
            longhaul = builder().register(ADD).enqueueOnly().start();

            KnownDefinition known = catalog().find(ADD.ref()).orElseThrow();
            assertThat(known.paramsSchema()).isEqualTo(ADD.params().schema().text());
            assertThat(known.declared()).isFalse();
            assertThat(catalog().workers()).isEmpty();
        }

        @Test
        void a_worker_is_known_from_its_start_to_its_end() throws Exception {
            var goOn = new CountDownLatch(1);
            var running = new CountDownLatch(1);
            var definition = JobDefinition.of("test.patient", Add.class, Sum.class)
                    .handler((params, context) -> {
                        running.countDown();
                        Uninterruptibly.await(goOn);
                        return new Sum(1);
                    });
            longhaul = builder()
                    .register(definition)
                    .slots(3)
                    .workerId("w-1")
                    .drain(PATIENCE)
                    .start();
            assertThat(worker().report().workerId()).isEqualTo("w-1");
            assertThat(worker().report().definitions()).containsExactly(definition.ref());
            assertThat(worker().report().slots()).isEqualTo(3);
            assertThat(worker().state()).isEqualTo(KnownWorker.State.ACTIVE);

            JobId id = longhaul.later(definition, new Add(1, 1));
            Uninterruptibly.await(running);
            var closing = new Thread(longhaul::close);
            closing.start();
            await(KnownWorker.State.DRAINING);
            assertThat(worker().report().running()).isEqualTo(1);
            goOn.countDown();
            closing.join();
            assertThat(worker().state()).isEqualTo(KnownWorker.State.GONE);
            assertThat(longhaul.find(id).orElseThrow().status()).isEqualTo(JobStatus.SUCCEEDED);
        }

        @Test
        void an_operators_limit_outlives_a_workers_start() {
            longhaul = builder().register(ADD).enqueueOnly().start();
            var limited = new KnownDefinition.Defaults("default", 3, ofSeconds(60), 2);
            KnownDefinition known = catalog().find(ADD.ref()).orElseThrow();
            catalog()
                    .declare(new KnownDefinition(
                            known.ref(), known.paramsSchema(), "true", limited, "anna", known.updatedAt()));
            try (var other = new WorkerBackend(
                    longhaul.store().work(),
                    Map.of(Isolation.THREAD, new ThreadExecutor()),
                    longhaul.registry(),
                    WorkerConfig.DEFAULT,
                    null)) {
                other.initialize();
            }
            longhaul.laterAll(ADD, Collections.nCopies(3, new Add(1, 1)), options());
            assertThat(longhaul.store().work().claim(ClaimRequest.of("w", List.of("default"), null, 3, ofSeconds(60))))
                    .hasSize(2);
        }

        private Catalog catalog() {
            return longhaul.store().catalog();
        }

        private KnownWorker worker() {
            assertThat(catalog().workers()).hasSize(1);
            return catalog().workers().get(0);
        }

        private void await(KnownWorker.State state) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (worker().state() != state && System.nanoTime() < end) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            assertThat(worker().state()).isEqualTo(state);
        }
    }
}
