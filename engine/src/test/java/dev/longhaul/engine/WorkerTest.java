package dev.longhaul.engine;

import static dev.longhaul.engine.run.Workbench.PATIENCE_SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.Isolation;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.engine.run.Workbench;
import dev.longhaul.engine.run.Workbench.Empty;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Step;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A complete worker on a work source that fails on demand. Leases are not reaped here, so lost jobs stay lost. */
class WorkerTest {
    private static final WorkerConfig CONFIG = WorkerConfig.DEFAULT
            .withSlots(4)
            .withLease(Workbench.LEASE)
            .withDrain(Duration.ofSeconds(PATIENCE_SECONDS));

    private final Workbench bench = new Workbench();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @Nested
    class Claiming {
        @Test
        void a_claim_whose_response_was_lost_is_read_again() {
            List<JobId> ids = insert(3);
            bench.faults.next("claim", FaultyStore.unanswered());
            start(CONFIG, Workbench.NOTHING);
            for (JobId id : ids) {
                Job job = ended(id);
                assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
                assertThat(job.tally().run()).as("runs").isEqualTo(1);
            }
        }

        @Test
        void it_asks_until_it_knows() {
            JobId id = insert(1).get(0);
            bench.faults
                    .next("claim", FaultyStore.unanswered())
                    .next("claimed", FaultyStore.unavailable())
                    .next("claimed", call -> {
                        throw new NoClassDefFoundError("planted");
                    });
            start(CONFIG, Workbench.NOTHING);
            assertThat(ended(id).tally().run()).isEqualTo(1);
        }

        @Test
        void survives_exceptions_of_the_store() {
            bench.faults
                    .next("claim", FaultyStore.unavailable())
                    .next("claim", call -> {
                        throw new NoClassDefFoundError("planted");
                    })
                    .next("untilNextDue", call -> {
                        throw new IllegalStateException("planted");
                    });
            start(CONFIG, Workbench.NOTHING);
            assertThat(ended(insert(1).get(0)).status()).isEqualTo(JobStatus.SUCCEEDED);
        }

        @Test
        void a_capped_queue_continues_as_its_own_runs_end() throws Exception {
            // untilNextDue reports no due jobs, so only the end of a run makes the worker claim the next one.
            bench.faults.always("untilNextDue", call -> Optional.of(Duration.ofDays(1)));
            var running = new AtomicInteger();
            var most = new AtomicInteger();
            var definition = JobDefinition.of("capped", Empty.class, Empty.class)
                    .handler((params, context) -> {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        long polls = bench.faults.calls("untilNextDue");
                        Workbench.await("the worker goes to sleep", () -> bench.faults.calls("untilNextDue") > polls);
                        running.decrementAndGet();
                        return new Empty();
                    });
            int jobs = 40;
            List<JobId> ids = insert(definition, jobs);
            long start = System.nanoTime();
            start(CONFIG.withQueues(Map.of(JobSpec.DEFAULT_QUEUE, 2, "other", 4)), definition);
            ids.forEach(WorkerTest.this::ended);
            assertThat(most).hasValueBetween(1, 2);
            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(jobs / 2 / 2));
        }

        @Test
        void a_capped_queue_never_runs_more_at_once_than_it_may() throws Exception {
            var mayEnd = new Semaphore(0);
            var begun = new Semaphore(0);
            var definition = JobDefinition.of("held", Empty.class, Empty.class).handler((params, context) -> {
                begun.release();
                mayEnd.acquire();
                return new Empty();
            });
            List<JobId> capped = insert(definition, 6);
            start(CONFIG.withQueues(Map.of(JobSpec.DEFAULT_QUEUE, 2, "open", WorkerConfig.ANY)), definition);
            assertThat(begun.tryAcquire(2, PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            // The jobs of the other queue take the remaining two slots, so the worker has polled for more work since.
            bench.source.insert(List.of(
                    JobSpec.of(definition.ref(), "{}").queue("open").build(),
                    JobSpec.of(definition.ref(), "{}").queue("open").build()));
            assertThat(begun.tryAcquire(2, PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(capped)
                    .filteredOn(id -> find(id).state() == JobState.RUNNING)
                    .hasSize(2);
            mayEnd.release(8);
            capped.forEach(WorkerTest.this::ended);
        }
    }

    @Nested
    class Running {
        @Test
        void an_exception_without_readable_message_fails_its_job() {
            var definition = JobDefinition.of("unspeakable", Empty.class, Empty.class)
                    .maxAttempts(1)
                    .handler((params, context) -> {
                        throw new Unspeakable();
                    });
            JobId id = insert(definition, 1).get(0);
            start(CONFIG, definition);
            Job job = ended(id);
            assertThat(job.status()).isEqualTo(JobStatus.FAILED);
            assertThat(Objects.requireNonNull(job.failure()).code()).isEqualTo(Failure.EXCEPTION);
        }

        @Test
        void hooks_and_listeners_that_throw_anything_harm_no_job() throws Exception {
            var ended = new CountDownLatch(2);
            var definition = JobDefinition.of("hooked", Empty.class, Empty.class)
                    .onStart((context, params) -> {
                        throw new Unspeakable();
                    })
                    .onEnd((context, result) -> {
                        throw new Unspeakable();
                    })
                    .onEnd((context, result) -> ended.countDown())
                    .handler((params, context) -> new Empty());
            WorkerBackend backend = start(CONFIG, definition);
            backend.notices().listen(notice -> true, notice -> {
                throw new Unspeakable();
            });
            for (JobId id : insert(definition, 2)) {
                assertThat(ended(id).status()).isEqualTo(JobStatus.SUCCEEDED);
            }
            assertThat(ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        }

        @Test
        void a_listener_that_takes_long_delays_no_job() {
            var goOn = new CountDownLatch(1);
            WorkerBackend backend = start(CONFIG, Workbench.NOTHING);
            backend.notices().listen(notice -> true, notice -> {
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            try {
                for (JobId id : insert(20)) {
                    assertThat(ended(id).status()).isEqualTo(JobStatus.SUCCEEDED);
                }
            } finally {
                goOn.countDown();
            }
        }

        @Test
        @Timeout(60)
        void two_parallel_steps_of_one_name_both_return() {
            var meet = new CyclicBarrier(2);
            var definition = JobDefinition.of("parallel", Empty.class, Empty.class)
                    .maxAttempts(1)
                    .handler((params, context) -> {
                        var other = CompletableFuture.supplyAsync(() -> step(context, meet, 1));
                        int mine = step(context, meet, 2);
                        assertThat(mine).isEqualTo(2);
                        assertThat(other.get()).isEqualTo(1);
                        return new Empty();
                    });
            start(CONFIG, definition);
            for (int i = 0; i < 20; i++) {
                JobId id = insert(definition, 1).get(0);
                assertThat(ended(id).status()).isEqualTo(JobStatus.SUCCEEDED);
                assertThat(bench.source.steps(id)).extracting(Step::name).containsExactly("same");
            }
        }

        private static int step(JobContext context, CyclicBarrier meet, int result) {
            try {
                return context.step("same", Integer.class, () -> {
                    meet.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                    return result;
                });
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Nested
    class Starting {
        private final JobDefinition<Empty, Empty> plain =
                JobDefinition.of("versions", Empty.class, Empty.class).handler((params, context) -> new Empty());

        // Limits and hooks are kept by a store's catalog, which is not part of the port.
        private final MemoryStore memory = new MemoryStore();

        private void initialize(JobDefinition<?, ?>... definitions) {
            var backend = new WorkerBackend(
                    memory.work(), Map.of(Isolation.THREAD, new ThreadExecutor()), registry(definitions), CONFIG, null);
            opened.add(backend);
            backend.initialize();
        }

        @Test
        void an_older_version_without_a_limit_does_not_lift_it() {
            var limited = JobDefinition.of("versions", Empty.class, Empty.class)
                    .version(2)
                    .concurrencyLimit(1)
                    .handler((params, context) -> new Empty());
            initialize(plain, limited);
            for (var definition : List.of(plain, limited)) {
                memory.jobs().insert(List.of(JobSpec.of(definition.ref(), "{}").build()));
            }
            assertThat(claimAll()).hasSize(1);
        }

        @Test
        void a_version_without_hooks_does_not_switch_them_off() {
            var hooked = JobDefinition.of("versions", Empty.class, Empty.class)
                    .version(2)
                    .onEnd((context, result) -> {})
                    .handler((params, context) -> new Empty());
            var newer = JobDefinition.of("versions", Empty.class, Empty.class)
                    .version(3)
                    .handler((params, context) -> new Empty());
            initialize(hooked);
            initialize(plain, hooked, newer);
            initialize(newer);
            JobSpec spec = JobSpec.of(hooked.ref(), "{}").build();
            memory.jobs().insert(List.of(spec));
            JobId id = spec.id();
            memory.jobs().execute(JobCommand.cancel(id, null, null, null));
            assertThat(memory.work().hooks().takeHooks(Set.of(hooked.ref()), 10, Duration.ofMinutes(1)))
                    .extracting(Job::id)
                    .containsExactly(id);
        }

        private List<ClaimedJob> claimAll() {
            return memory.work()
                    .claim(ClaimRequest.of("other", List.of(JobSpec.DEFAULT_QUEUE), null, 100, Workbench.LEASE));
        }
    }

    @Nested
    class Closing {
        @Test
        void claimed_jobs_that_have_not_begun_are_given_back_without_spending_an_attempt() {
            List<JobId> ids = insert(3);
            WorkerBackend backend = backend(CONFIG, Workbench.NOTHING);
            backend.initialize();
            assertThat(backend.claim(2)).hasSize(2);
            backend.claim(ids.get(2), bench.byId());
            backend.shutdown(Duration.ZERO);
            for (JobId id : ids) {
                assertThat(find(id).status()).isEqualTo(JobStatus.QUEUED);
                assertThat(find(id).tally().attempts()).isZero();
            }
        }

        @Test
        void a_claim_under_way_ends_before_runs_are_notified_of_the_shutdown() throws Exception {
            insert(1);
            var claiming = new CountDownLatch(1);
            var stopper = new CompletableFuture<Thread>();
            var open = new CompletableFuture<Boolean>();
            WorkerBackend backend = backend(CONFIG, Workbench.NOTHING);
            backend.initialize();
            bench.faults.next("claim", call -> {
                claiming.countDown();
                Thread stopping = stopper.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                Workbench.await(
                        "the worker waits for the claim", () -> stopping.getState() == Thread.State.TIMED_WAITING);
                open.complete(isOpen(backend));
                return call.goOn();
            });
            var worker = new Worker(bench.store, registry(Workbench.NOTHING), CONFIG, backend);
            opened.add(0, worker);
            worker.start();
            assertThat(claiming.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            var stopping = new Thread(worker::stopClaiming);
            stopping.start();
            stopper.complete(stopping);
            assertThat(Workbench.soon(open)).as("open during the claim").isTrue();
            stopping.join(Duration.ofSeconds(PATIENCE_SECONDS).toMillis());
            assertThat(isOpen(backend)).as("open afterwards").isFalse();
        }

        private static boolean isOpen(WorkerBackend backend) {
            try {
                backend.requireOpen();
                return true;
            } catch (LonghaulException e) {
                return false;
            }
        }

        @Test
        void jobs_waiting_for_a_slot_are_given_back_without_spending_an_attempt() throws Exception {
            var begun = new CountDownLatch(1);
            var givenBack = new AtomicBoolean();
            var definition = JobDefinition.of("ahead", Empty.class, Empty.class).handler((params, context) -> {
                if (context.correlationId() != null) {
                    begun.countDown();
                    Workbench.await("the worker stops", context::draining);
                    Workbench.await("only this one is left", () -> bench.source.running() == 1);
                    givenBack.set(true);
                }
                return new Empty();
            });
            // Short jobs first, so that the worker claims ahead; then one that occupies its only slot.
            start(CONFIG.withSlots(1), definition);
            insert(definition, 300).forEach(WorkerTest.this::ended);
            JobSpec holding = JobSpec.of(definition.ref(), "{}")
                    .priority(1)
                    .correlationId("hold")
                    .build();
            List<JobSpec> specs = new ArrayList<>(List.of(holding));
            for (int i = 0; i < 50; i++) {
                specs.add(JobSpec.of(definition.ref(), "{}").build());
            }
            bench.source.insert(specs);
            assertThat(begun.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            close();
            assertThat(givenBack).isTrue();
            assertThat(find(holding.id()).status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(specs.subList(1, specs.size())).allSatisfy(spec -> {
                assertThat(find(spec.id()).status()).isEqualTo(JobStatus.QUEUED);
                assertThat(find(spec.id()).tally().attempts()).isZero();
            });
        }

        @Test
        void afterwards_it_runs_nothing_more() {
            JobId id = insert(1).get(0);
            WorkerBackend backend = backend(CONFIG, Workbench.NOTHING);
            backend.initialize();
            backend.close();
            assertThatThrownBy(() -> backend.claim(1)).satisfies(WorkerTest::unavailable);
            assertThatThrownBy(() -> backend.claim(id, bench.byId())).satisfies(WorkerTest::unavailable);
            assertThat(find(id).status()).isEqualTo(JobStatus.QUEUED);
        }
    }

    private static void unavailable(Throwable refusal) {
        assertThat(refusal)
                .isInstanceOfSatisfying(
                        LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    private WorkerBackend backend(WorkerConfig config, JobDefinition<?, ?>... definitions) {
        var backend = new WorkerBackend(
                bench.store, Map.of(Isolation.THREAD, new ThreadExecutor()), registry(definitions), config, null);
        opened.add(backend);
        return backend;
    }

    /** Starts a worker that is closed after the test. */
    private WorkerBackend start(WorkerConfig config, JobDefinition<?, ?>... definitions) {
        var backend = new WorkerBackend(
                bench.store, Map.of(Isolation.THREAD, new ThreadExecutor()), registry(definitions), config, null);
        backend.initialize();
        var worker = new Worker(bench.store, registry(definitions), config, backend);
        opened.add(worker);
        worker.start();
        return backend;
    }

    private static Registry registry(JobDefinition<?, ?>... definitions) {
        var registry = new Registry();
        for (JobDefinition<?, ?> definition : definitions) {
            registry.register(definition);
        }
        return registry;
    }

    private List<JobId> insert(int jobs) {
        return insert(Workbench.NOTHING, jobs);
    }

    private List<JobId> insert(JobDefinition<?, ?> definition, int jobs) {
        var specs = new ArrayList<JobSpec>();
        for (int i = 0; i < jobs; i++) {
            specs.add(JobSpec.of(definition.ref(), "{}").build());
        }
        bench.source.insert(specs);
        return specs.stream().map(JobSpec::id).toList();
    }

    private Job find(JobId id) {
        return bench.source.find(id).orElseThrow();
    }

    /** Waits until the job has ended. */
    private Job ended(JobId id) {
        Workbench.await("job " + id + " ends", () -> find(id).state().terminal());
        return find(id);
    }
}
