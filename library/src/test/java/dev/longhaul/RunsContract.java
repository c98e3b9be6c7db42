package dev.longhaul;

import static dev.longhaul.JobOptions.options;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.event.EventType;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.JobCommand;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The guarantees for the code of jobs, on each store. */
@Execution(ExecutionMode.CONCURRENT) // Each test has a store of its own.
abstract class RunsContract extends LonghaulFixture {
    @Nested
    class HooksOfJobs {
        @Test
        void run_after_the_end_is_stored_even_if_the_job_never_ran() throws Exception {
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
        void an_attempt_past_its_timeout_is_notified_and_interrupted() throws Exception {
            var notified = new CountDownLatch(1);
            var definition = JobDefinition.of("test.timeout", Add.class, Sum.class)
                    .timeout(ofSeconds(1))
                    .maxAttempts(1)
                    .handler((params, context) -> {
                        context.onCancel(notified::countDown);
                        Thread.sleep(60_000);
                        return new Sum(0);
                    });
            JobResult<Sum> result = run(definition, new Add(1, 1));
            assertThat(result.summary()).contains("is failed: timeout: ");
            assertThat(notified.await(5, TimeUnit.SECONDS)).isTrue();
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
        void a_nul_character_does_no_harm() throws Exception {
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
        void a_thread_is_reused_in_its_original_state() throws Exception {
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
        void virtual_threads_are_used_where_available() throws Exception {
            var definition = JobDefinition.of("test.virtual", Add.class, Sum.class)
                    .virtualThreads()
                    .handler((params, context) ->
                            new Sum(Thread.currentThread().getName().isEmpty() ? 1 : 0));
            int expected = Runtime.version().feature() >= 21 ? 1 : 0;
            assertThat(run(definition, new Add(0, 0)).orThrow()).isEqualTo(new Sum(expected));
        }

        @Test
        void listeners_are_notified_of_events_of_jobs_in_this_process() throws Exception {
            start(ADD);
            var heard = new LinkedBlockingQueue<EventType>();
            longhaul.listen(notice -> notice.definition().key().equals("test.add"), notice -> heard.add(notice.type()));
            longhaul.await(ADD, longhaul.later(ADD, new Add(1, 1)), PATIENCE);
            assertThat(heard.poll(5, TimeUnit.SECONDS)).isEqualTo(EventType.STARTED);
            assertThat(heard.poll(5, TimeUnit.SECONDS)).isEqualTo(EventType.SUCCEEDED);
        }

        @Test
        void closing_gives_back_jobs_that_do_not_end_with_their_attempts_unspent() throws Exception {
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
            Job job = store.jobs().find(id).orElseThrow();
            assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
            assertThat(job.tally().attempts()).isZero();
        }

        @Test
        void code_that_ignores_a_cancel_loses_its_job_and_keeps_its_slot() throws Exception {
            var release = new CountDownLatch(1);
            var started = new CountDownLatch(1);
            var runs = new AtomicInteger();
            var definition = JobDefinition.of("test.deaf", Add.class, Sum.class).handler((params, context) -> {
                if (runs.incrementAndGet() == 1) {
                    started.countDown();
                    Uninterruptibly.await(release);
                }
                return new Sum(runs.get());
            });
            longhaul = builder()
                    .register(definition)
                    .slots(2)
                    .cancelGrace(Duration.ofMillis(50))
                    .start();
            JobId id = longhaul.later(definition, new Add(0, 0));
            assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
            longhaul.cancel(id);
            assertThat(longhaul.await(definition, id, PATIENCE).status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(longhaul.health().healthy()).isFalse();

            // A retry does not run beside the code of the first run, and returns its slot: another job runs meanwhile.
            longhaul.store().jobs().execute(JobCommand.retry(id, null)).job();
            awaitLeft(id);
            assertThat(runs).hasValue(1);
            JobId other = longhaul.later(definition, new Add(0, 0));
            assertThat(longhaul.await(definition, other, PATIENCE).orThrow()).isEqualTo(new Sum(2));
            longhaul.cancel(id);
            awaitStatus(id, JobStatus.CANCELLED);
            longhaul.store().jobs().execute(JobCommand.retry(id, null));
            release.countDown();
            assertThat(longhaul.await(definition, id, PATIENCE).orThrow()).isEqualTo(new Sum(3));
            assertThat(longhaul.health().healthy()).isTrue();
            assertThat(longhaul.store().jobs().runs(id))
                    .extracting(Run::status)
                    .startsWith(RunStatus.CANCELLED, RunStatus.SNOOZED)
                    .endsWith(RunStatus.SUCCEEDED);
        }

        @Test
        void code_that_ignores_the_timeout_of_its_last_attempt_loses_its_job() throws Exception {
            var release = new CountDownLatch(1);
            var definition = JobDefinition.of("test.late", Add.class, Sum.class)
                    .timeout(ofSeconds(1))
                    .maxAttempts(1)
                    .handler((params, context) -> {
                        Uninterruptibly.await(release);
                        return new Sum(1);
                    });
            start(definition);
            try {
                JobId id = longhaul.later(definition, new Add(0, 0));
                JobResult<Sum> ended = longhaul.await(definition, id, PATIENCE);
                assertThat(ended.status()).isEqualTo(JobStatus.FAILED);
                assertThat(java.util.Objects.requireNonNull(ended.error()).code())
                        .isEqualTo("timeout");
            } finally {
                release.countDown();
            }
        }

        /** Waits until a worker has left the job to another worker, because its earlier code still runs there. */
        private void awaitLeft(JobId id) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            Failure failure = longhaul.find(id).orElseThrow().failure();
            while (failure == null || !failure.code().equals(Failure.STILL_RUNNING)) {
                assertThat(System.nanoTime()).as("%s", longhaul.find(id)).isLessThan(end);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                failure = longhaul.find(id).orElseThrow().failure();
            }
        }

        private void awaitStatus(JobId id, JobStatus status) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (longhaul.find(id).orElseThrow().status() != status) {
                assertThat(System.nanoTime()).as("%s", longhaul.find(id)).isLessThan(end);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
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
}
