package dev.longhaul;

import static dev.longhaul.BatchOptions.concurrency;
import static dev.longhaul.enqueue.JobOptions.options;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.definition.JobDefinition;
import dev.longhaul.definition.JobFailedException;
import dev.longhaul.definition.JobResult;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RetryPolicy;
import dev.longhaul.schedule.NewSchedule;
import dev.longhaul.schedule.Timing;
import dev.longhaul.store.ClaimRequest;
import dev.longhaul.store.memory.MemoryStore;
import dev.longhaul.worker.ThreadExecutor;
import dev.longhaul.worker.WorkerBackend;
import dev.longhaul.worker.WorkerConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The library as its user sees it, on each store. */
@Execution(ExecutionMode.CONCURRENT) // Each test has a store of its own.
abstract class LonghaulContract {
    record Add(int a, int b) {}

    record Sum(int sum) {}

    static final Duration PATIENCE = ofSeconds(20);
    private static final RetryPolicy AT_ONCE = RetryPolicy.of(new Backoff(Duration.ZERO, 1, Duration.ZERO));

    /** Started by the test itself; closed after it. */
    @SuppressWarnings("NullAway.Init")
    Longhaul longhaul;

    abstract LonghaulBuilder builder();

    Longhaul start(JobDefinition<?, ?>... definitions) {
        longhaul = builder()
                .register(definitions)
                .slots(4)
                .lease(ofSeconds(3))
                .drain(ofSeconds(1))
                .start();
        return longhaul;
    }

    @AfterEach
    void close() {
        if (longhaul != null) {
            longhaul.close();
        }
    }

    static final JobDefinition<Add, Sum> ADD = JobDefinition.of("test.add", Add.class, Sum.class)
            .handler((params, context) -> new Sum(params.a() + params.b()));

    @Nested
    class Later {
        @Test
        void runs_a_job_and_answers_what_it_returned() throws Exception {
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
        void a_failed_attempt_is_tried_again_with_its_steps_kept() throws Exception {
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
            assertThat(longhaul.store().events(EventQuery.of(id)))
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
        void tells_running_code_and_ends_as_cancelled() throws Exception {
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
        void runs_in_the_calling_thread_and_answers() {
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
        void a_batch_answers_in_order_and_stops_on_an_error_when_asked() {
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
        void a_tick_runs_what_is_due_and_reports() {
            longhaul = builder().register(ADD).enqueueOnly().start();
            for (int i = 0; i < 7; i++) {
                longhaul.later(ADD, new Add(i, i));
            }
            TickReport report = longhaul.tick();
            assertThat(report.executed()).hasSize(5).allMatch(executed -> executed.success());
            assertThat(report.waiting()).isEqualTo(2);
        }

        @Test
        void a_tick_fires_what_is_due_and_runs_it() throws Exception {
            longhaul = builder().register(ADD).enqueueOnly().start();
            Instant soon = longhaul.store().now().plusMillis(300);
            longhaul.schedules().create(NewSchedule.of("soon", Timing.at(soon)), ADD, new Add(1, 2));
            assertThat(longhaul.tick().fired()).isZero();
            while (!longhaul.store().now().isAfter(soon)) {
                Thread.sleep(20);
            }
            TickReport report = longhaul.tick();
            assertThat(report.fired()).isEqualTo(1);
            assertThat(report.executed()).hasSize(1).allMatch(executed -> executed.success());
            assertThat(longhaul.tick().fired()).isZero();
        }
    }

    @Nested
    class Presence {
        @Test
        void a_process_tells_which_definitions_it_knows() {
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
                    longhaul.store(), new ThreadExecutor(), longhaul.registry(), WorkerConfig.DEFAULT, null)) {
                other.initialize();
            }
            longhaul.laterAll(ADD, Collections.nCopies(3, new Add(1, 1)), options());
            assertThat(longhaul.store().claim(ClaimRequest.of("w", List.of("default"), null, 3, ofSeconds(60))))
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

    @Nested
    class HooksOfJobs {
        @Test
        void run_after_the_end_is_stored_also_when_nobody_ran_the_job() throws Exception {
            var ended = new LinkedBlockingQueue<String>();
            var definition = JobDefinition.of("test.hooked", Add.class, Sum.class)
                    .onStart((context, params) -> ended.add("start"))
                    .onSuccess((context, result) -> ended.add("success"))
                    .onFail((context, failure) -> ended.add("fail"))
                    .onEnd((context, result) -> ended.add(result.status().wireName()))
                    .handler((params, context) -> new Sum(1));
            start(definition);
            longhaul.later(definition, new Add(1, 1));
            assertThat(ended.poll(10, TimeUnit.SECONDS)).isEqualTo("start");
            assertThat(ended.poll(10, TimeUnit.SECONDS)).isEqualTo("success");
            assertThat(ended.poll(10, TimeUnit.SECONDS)).isEqualTo("succeeded");
            JobId waiting = longhaul.later(definition, new Add(1, 1), options().delay(Duration.ofHours(1)));
            longhaul.cancel(waiting);
            assertThat(ended.poll(10, TimeUnit.SECONDS)).isEqualTo("cancelled");
        }
    }

    @Nested
    class Failing {
        @Test
        void an_error_that_is_never_retried_fails_the_job_at_once() throws Exception {
            var definition = JobDefinition.of("test.never", Add.class, Sum.class)
                    .retry(AT_ONCE.never(UnsupportedOperationException.class))
                    .handler((params, context) -> {
                        throw new UnsupportedOperationException("not here");
                    });
            JobResult<Sum> result = run(definition, new Add(1, 1));
            assertThat(result.status()).isEqualTo(JobStatus.FAILED);
            assertThat(result.attempts()).isEqualTo(1);
        }

        @Test
        void attempts_run_out() throws Exception {
            var definition = JobDefinition.of("test.out", Add.class, Sum.class)
                    .retry(AT_ONCE)
                    .maxAttempts(2)
                    .handler((params, context) -> {
                        throw new IllegalStateException("attempt " + context.attempt());
                    });
            JobResult<Sum> result = run(definition, new Add(1, 1));
            assertThat(result.attempts()).isEqualTo(2);
            assertThat(result.summary()).endsWith("is failed: exception: attempt 2");
        }

        @Test
        void giving_up_needs_no_further_attempt() throws Exception {
            var definition = JobDefinition.of("test.give-up", Add.class, Sum.class)
                    .handler((params, context) -> {
                        throw context.giveUp("no such video");
                    });
            JobResult<Sum> result = run(definition, new Add(1, 1));
            assertThat(result.summary()).endsWith("is failed: given_up: no such video");
            assertThat(result.attempts()).isEqualTo(1);
        }

        @Test
        void an_attempt_that_takes_too_long_is_told_and_interrupted() throws Exception {
            var told = new CountDownLatch(1);
            var definition = JobDefinition.of("test.timeout", Add.class, Sum.class)
                    .timeout(ofSeconds(1))
                    .maxAttempts(1)
                    .handler((params, context) -> {
                        context.onCancel(told::countDown);
                        Thread.sleep(60_000);
                        return new Sum(0);
                    });
            JobResult<Sum> result = run(definition, new Add(1, 1));
            assertThat(result.summary()).contains("is failed: timeout: ");
            assertThat(told.await(5, TimeUnit.SECONDS)).isTrue();
        }

        @Test
        void a_snooze_spends_no_attempt() throws Exception {
            var runs = new AtomicInteger();
            var definition = JobDefinition.of("test.snooze", Add.class, Sum.class)
                    .maxAttempts(1)
                    .handler((params, context) -> {
                        if (runs.incrementAndGet() < 3) {
                            throw context.snooze(Duration.ofMillis(1));
                        }
                        return new Sum(context.run());
                    });
            JobResult<Sum> result = run(definition, new Add(1, 1));
            assertThat(result.orThrow()).isEqualTo(new Sum(3));
            assertThat(result.attempts()).isEqualTo(1);
        }

        @Test
        void a_nul_character_harms_nobody() throws Exception {
            record Said(String text) {}
            var definition = JobDefinition.of("test.nul", Add.class, Said.class)
                    .maxAttempts(1)
                    .handler((params, context) -> {
                        context.log().info("nul \0 in a line");
                        context.progress(10, "nul \0");
                        if (params.a() == 1) {
                            throw new IllegalStateException("nul \0 in a message");
                        }
                        return new Said("nul \0 in a result");
                    });
            start(definition);
            JobId failing = longhaul.later(definition, new Add(1, 1));
            JobId returning = longhaul.later(definition, new Add(2, 1));
            assertThat(longhaul.await(definition, failing, PATIENCE).status()).isEqualTo(JobStatus.FAILED);
            assertThat(longhaul.await(definition, returning, PATIENCE).orThrow())
                    .isEqualTo(new Said("nul \0 in a result"));
        }
    }

    @Nested
    class Running {
        @Test
        void higher_priorities_come_first_with_one_slot() throws Exception {
            var order = new LinkedBlockingQueue<Integer>();
            var definition = JobDefinition.of("test.priority", Add.class, Sum.class)
                    .handler((params, context) -> {
                        order.add(params.a());
                        return new Sum(0);
                    });
            longhaul = builder().register(definition).enqueueOnly().start();
            longhaul.later(definition, new Add(1, 0), options().priority(-5));
            longhaul.later(definition, new Add(2, 0));
            longhaul.later(definition, new Add(3, 0), options().priority(5));
            for (int i = 0; i < 3; i++) {
                assertThat(longhaul.tick(1).executed()).hasSize(1);
            }
            assertThat(order).containsExactly(3, 2, 1);
        }

        @Test
        void a_queue_takes_no_more_slots_than_it_may() throws Exception {
            var running = new AtomicInteger();
            var most = new AtomicInteger();
            var definition = JobDefinition.of("test.capped", Add.class, Sum.class)
                    .queue("capped")
                    .handler((params, context) -> {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        Thread.sleep(20);
                        running.decrementAndGet();
                        return new Sum(0);
                    });
            longhaul = builder()
                    .register(definition)
                    .slots(8)
                    .queues(Map.of("capped", 2, "default", 8))
                    .start();
            List<JobId> ids = longhaul.laterAll(definition, Collections.nCopies(20, new Add(0, 0)), options());
            for (JobId id : ids) {
                assertThat(longhaul.await(definition, id, PATIENCE).succeeded()).isTrue();
            }
            assertThat(most).hasValue(2);
        }

        @Test
        void a_thread_is_handed_on_as_it_was() throws Exception {
            var seen = new LinkedBlockingQueue<Boolean>();
            var definition = JobDefinition.of("test.thread", Add.class, Sum.class)
                    .handler((params, context) -> {
                        seen.add(Thread.currentThread().getContextClassLoader() != null
                                && !Thread.currentThread().isInterrupted());
                        Thread.currentThread().setContextClassLoader(null);
                        Thread.currentThread().interrupt();
                        return new Sum(0);
                    });
            longhaul = builder().register(definition).slots(1).start();
            List<JobId> ids = longhaul.laterAll(definition, Collections.nCopies(20, new Add(0, 0)), options());
            for (JobId id : ids) {
                assertThat(longhaul.await(definition, id, PATIENCE).succeeded()).isTrue();
            }
            assertThat(seen).hasSize(20).containsOnly(true);
        }

        @Test
        void virtual_threads_are_used_where_there_are_some() throws Exception {
            var definition = JobDefinition.of("test.virtual", Add.class, Sum.class)
                    .virtualThreads()
                    .handler((params, context) ->
                            new Sum(Thread.currentThread().getName().isEmpty() ? 1 : 0));
            int expected = Runtime.version().feature() >= 21 ? 1 : 0;
            assertThat(run(definition, new Add(0, 0)).orThrow()).isEqualTo(new Sum(expected));
        }

        @Test
        void listeners_hear_what_happens_to_jobs_here() throws Exception {
            start(ADD);
            var heard = new LinkedBlockingQueue<EventType>();
            longhaul.listen(notice -> notice.definition().key().equals("test.add"), notice -> heard.add(notice.type()));
            longhaul.await(ADD, longhaul.later(ADD, new Add(1, 1)), PATIENCE);
            assertThat(heard.poll(5, TimeUnit.SECONDS)).isEqualTo(EventType.STARTED);
            assertThat(heard.poll(5, TimeUnit.SECONDS)).isEqualTo(EventType.SUCCEEDED);
        }

        @Test
        void closing_gives_back_what_does_not_end_with_its_attempt_unspent() throws Exception {
            var started = new CountDownLatch(1);
            var definition = JobDefinition.of("test.close", Add.class, Sum.class)
                    .handler((params, context) -> {
                        started.countDown();
                        Thread.sleep(60_000);
                        return new Sum(0);
                    });
            var store = new MemoryStore();
            longhaul = Longhaul.builder()
                    .store(store)
                    .register(definition)
                    .drain(Duration.ofMillis(50))
                    .start();
            JobId id = longhaul.later(definition, new Add(0, 0));
            assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
            longhaul.close();
            Job job = store.find(id).orElseThrow();
            assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
            assertThat(job.tally().attempts()).isZero();
        }

        @Test
        void code_that_will_not_stop_keeps_its_job_until_it_has_ended() throws Exception {
            var release = new CountDownLatch(1);
            var started = new CountDownLatch(1);
            var runs = new AtomicInteger();
            var definition = JobDefinition.of("test.stubborn", Add.class, Sum.class)
                    .timeout(ofSeconds(1))
                    .maxAttempts(2)
                    .retry(AT_ONCE)
                    .handler((params, context) -> {
                        if (runs.incrementAndGet() == 1) {
                            started.countDown();
                            Uninterruptibly.await(release);
                        }
                        return new Sum(context.attempt());
                    });
            start(definition);
            JobId id = longhaul.later(definition, new Add(0, 0));
            assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
            JobResult<Sum> stuck = longhaul.await(definition, id, ofSeconds(3));
            assertThat(stuck.status()).isEqualTo(JobStatus.RUNNING);
            assertThat(runs).hasValue(1);
            release.countDown();
            JobResult<Sum> ended = longhaul.await(definition, id, PATIENCE);
            assertThat(ended.orThrow()).isEqualTo(new Sum(2));
        }
    }

    JobResult<Sum> run(JobDefinition<Add, Sum> definition, Add params) throws InterruptedException {
        start(definition);
        return longhaul.await(definition, longhaul.later(definition, params), PATIENCE);
    }

    /** Code that swallows interrupts. */
    private static final class Uninterruptibly {
        static void await(CountDownLatch latch) {
            while (true) {
                try {
                    latch.await();
                    return;
                } catch (InterruptedException e) {
                    // Goes on, as stubborn code does.
                }
            }
        }
    }
}
