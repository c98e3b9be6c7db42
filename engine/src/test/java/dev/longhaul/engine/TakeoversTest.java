package dev.longhaul.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.engine.run.Workbench;
import dev.longhaul.event.EventType;
import dev.longhaul.internal.text.Times;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Health;
import dev.longhaul.spi.Outcome;
import dev.longhaul.spi.WorkerDirectory;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Runs whose code outlives workers. */
class TakeoversTest {
    private static final JobDefinition<Workbench.Empty, Workbench.Empty> LASTING = JobDefinition.of(
                    "lasting", Workbench.Empty.class, Workbench.Empty.class)
            .isolation(Isolation.pod("image"))
            .timeout(Duration.ofMinutes(5))
            .handler((params, context) -> params);

    private final MapWorkSource source = new MapWorkSource();
    private final Heartbeats heartbeats = new Heartbeats();
    private final Outside outside = new Outside();
    private final List<Worker> workers = new ArrayList<>();
    private final List<Follower> followers = new ArrayList<>();

    TakeoversTest() {
        source.directory = heartbeats;
    }

    /** A directory in memory. */
    private static final class Heartbeats implements WorkerDirectory {
        final Map<String, Instant> latest = new ConcurrentHashMap<>();

        @Override
        public void register(List<KnownDefinition> definitions, Set<String> hooked) {}

        @Override
        public void seen(WorkerReport report) {
            latest.put(report.workerId(), Instant.now());
        }

        @Override
        public Map<String, Instant> heartbeats() {
            return Map.copyOf(latest);
        }

        @Override
        public void gone(String workerId) {
            latest.remove(workerId);
        }
    }

    /** Code outside the workers: which worker follows which run. */
    private static final class Outside {
        final Map<Claim, String> followers = new ConcurrentHashMap<>();
        final BlockingQueue<Claim> discarded = new LinkedBlockingQueue<>();
        final Map<Claim, Outcome> ends = new ConcurrentHashMap<>();
        /** Runs that were stopped, instead of left running. */
        final BlockingQueue<Claim> stopped = new LinkedBlockingQueue<>();
    }

    /** The executor of one worker. */
    private final class Follower implements Executor.Lasting {
        final BlockingQueue<Execution> executions = new LinkedBlockingQueue<>();
        private String worker = "";
        /** Whether it returns as soon as its worker shuts down. */
        private boolean leaves = true;

        @Override
        public String name() {
            return Isolation.KUBERNETES;
        }

        @Override
        public void workFor(String workerId) {
            worker = workerId;
        }

        @Override
        public Duration lease() {
            return Duration.ofMinutes(2);
        }

        @Override
        public void initialize() {}

        @Override
        public void prepare(JobDefinition<?, ?> definition) {}

        @Override
        public Outcome execute(Execution execution) {
            Claim claim = Objects.requireNonNull(execution.claim());
            outside.followers.put(claim, worker);
            var left = new LinkedBlockingQueue<Outcome>();
            execution.onDraining(() -> {
                outside.followers.put(claim, "");
                if (leaves) {
                    left.add(new Outcome.LeftRunning());
                }
            });
            execution.context().onCancel(() -> {
                outside.stopped.add(claim);
                left.add(new Outcome.Threw(new IllegalStateException("stopped")));
            });
            execution.lastsFor(lease());
            executions.add(execution);
            try {
                while (true) {
                    Outcome end = outside.ends.get(claim);
                    Outcome outcome = end == null ? left.poll(2, TimeUnit.MILLISECONDS) : end;
                    if (outcome != null) {
                        return outcome;
                    }
                }
            } catch (InterruptedException e) {
                outside.stopped.add(claim);
                return new Outcome.LeftRunning();
            }
        }

        @Override
        public List<Leftover> takeOver(Predicate<String> active, Predicate<DefinitionRef> known) {
            var taken = new ArrayList<Leftover>();
            outside.followers.forEach((claim, follower) -> {
                if (!follower.equals(worker)
                        && (follower.isEmpty() || !active.test(follower))
                        && outside.followers.replace(claim, follower, worker)) {
                    taken.add(new Leftover(claim, 2));
                }
            });
            return taken;
        }

        @Override
        public void discard(Leftover leftover) {
            outside.followers.remove(leftover.claim());
            outside.discarded.add(leftover.claim());
        }

        @Override
        public Health health() {
            return Health.OK;
        }

        @Override
        public void shutdown() {}
    }

    @AfterEach
    void close() {
        workers.forEach(Worker::close);
    }

    private Worker worker(String id) {
        return worker(id, Duration.ofSeconds(5), new Follower());
    }

    private Worker worker(String id, Duration drain, Follower follower) {
        followers.add(follower);
        var registry = new Registry().register(LASTING);
        WorkerConfig config = WorkerConfig.DEFAULT.withWorkerId(id).withSlots(1).withDrain(drain);
        var backend = new WorkerBackend(source, Map.of(Isolation.KUBERNETES, follower), registry, config, null);
        backend.initialize();
        var worker = new Worker(source, registry, config, backend);
        worker.start();
        workers.add(worker);
        return worker;
    }

    private JobId enqueue() {
        JobSpec spec =
                JobSpec.of(LASTING.ref(), "{}").timeout(LASTING.timeout()).build();
        source.insert(List.of(spec));
        return spec.id();
    }

    private Execution next(int worker) throws InterruptedException {
        Execution execution = followers.get(worker).executions.poll(Workbench.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(execution).as("an execution").isNotNull();
        return execution;
    }

    private Job job(JobId id) {
        return source.find(id).orElseThrow();
    }

    @Nested
    class Drain {
        @Test
        void leaves_the_run_and_another_worker_executes_the_same_run_to_its_end() throws Exception {
            JobId id = enqueue();
            Worker first = worker("first");
            Execution before = next(0);
            before.report(EventType.OUTPUT, "{\"text\":\"one\"}");
            first.close();
            assertThat(job(id).status()).isEqualTo(JobStatus.RUNNING);

            worker("second");
            Execution after = next(1);
            assertThat(after.claim()).isEqualTo(before.claim());
            assertThat(after.takeovers()).isEqualTo(1);
            after.report(EventType.OUTPUT, "{\"text\":\"two\"}");
            outside.ends.put(Objects.requireNonNull(after.claim()), new Outcome.Returned("{}"));
            Workbench.await("success", () -> job(id).status() == JobStatus.SUCCEEDED);
            assertThat(job(id).tally().run()).isEqualTo(1);
            assertThat(job(id).tally().attempts()).isEqualTo(1);
            assertThat(job(id).tally().crashes()).isZero();
        }

        @Test
        void that_times_out_neither_stops_the_code_nor_gives_the_job_back() throws Exception {
            JobId id = enqueue();
            var slow = new Follower();
            slow.leaves = false;
            Worker first = worker("first", Duration.ZERO, slow);
            Execution before = next(0);
            first.close();
            assertThat(outside.stopped).isEmpty();
            assertThat(job(id).status()).isEqualTo(JobStatus.RUNNING);

            worker("second");
            Execution after = next(1);
            assertThat(after.claim()).isEqualTo(before.claim());
            outside.ends.put(Objects.requireNonNull(after.claim()), new Outcome.Returned("{}"));
            Workbench.await("success", () -> job(id).status() == JobStatus.SUCCEEDED);
            assertThat(job(id).tally().run()).isEqualTo(1);
            assertThat(job(id).tally().attempts()).isEqualTo(1);
        }

        @Test
        void a_full_worker_takes_over_nevertheless() throws Exception {
            JobId id = enqueue();
            Worker first = worker("first");
            next(0);
            JobId other = enqueue();
            worker("second");
            next(1);
            first.close();
            Execution taken = next(1);
            assertThat(Objects.requireNonNull(taken.claim()).jobId()).isEqualTo(id);
            outside.ends.put(Objects.requireNonNull(taken.claim()), new Outcome.Returned("{}"));
            Workbench.await("success", () -> job(id).status() == JobStatus.SUCCEEDED);
            assertThat(job(other).status()).isEqualTo(JobStatus.RUNNING);
        }
    }

    @Nested
    class Leases {
        @Test
        void are_extended_at_once_to_the_time_of_the_executor() throws Exception {
            JobId id = enqueue();
            worker("first");
            Execution execution = next(0);
            Workbench.await(
                    "a long lease",
                    () -> execution.nanosLeft() > Duration.ofSeconds(100).toNanos());
            assertThat(job(id).status()).isEqualTo(JobStatus.RUNNING);
        }
    }

    @Nested
    class Claims {
        @Test
        void code_whose_claim_is_lost_is_discarded() throws Exception {
            var lost = new Claim(JobId.next(), 1, Claim.newKey());
            outside.followers.put(lost, "");
            worker("first");
            assertThat(outside.discarded.poll(Workbench.PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(lost);
        }
    }

    @Nested
    class Failures {
        private final Follower executor = new Follower();
        private final Workbench bench = new Workbench();
        private final Registry registry = new Registry().register(Workbench.NOTHING);
        private final LiveRuns live = new LiveRuns(registry, bench.surroundings);

        private Takeovers takeovers(Consumer<LiveRun> start) {
            executor.workFor("self");
            heartbeats.latest.put("self", Instant.now());
            bench.source.directory = heartbeats;
            return new Takeovers(bench.source, live, List.of(executor), Set.of(Workbench.NOTHING.ref()), "self", start);
        }

        /** Claims two jobs whose code no worker follows. */
        private List<Claim> left() {
            List<Claim> claims =
                    List.of(bench.claimed().claim(), bench.claimed().claim());
            claims.forEach(claim -> outside.followers.put(claim, ""));
            return claims;
        }

        @Test
        void an_error_with_one_run_keeps_no_other_from_being_taken_over() {
            List<Claim> claims = left();
            var started = new ArrayList<Claim>();
            var takeovers = takeovers(run -> {
                started.add(run.claim());
                if (started.size() == 1) {
                    throw new NoClassDefFoundError("planted");
                }
            });
            assertThatThrownBy(takeovers::runOnce).isInstanceOf(NoClassDefFoundError.class);
            assertThat(started).containsExactlyInAnyOrderElementsOf(claims);
            assertThat(live.all()).extracting(LiveRun::claim).containsExactly(started.get(1));
        }

        @Test
        void a_run_that_could_not_be_adopted_is_not_kept() {
            List<Claim> claims = left();
            live.onAdopted(run -> {
                throw new NoClassDefFoundError("planted");
            });
            var takeovers = takeovers(run -> {});
            assertThatThrownBy(takeovers::runOnce).isInstanceOf(NoClassDefFoundError.class);
            assertThat(live.all()).isEmpty();
            // The next pass takes it over.
            live.onAdopted(run -> {});
            claims.forEach(claim -> outside.followers.put(claim, ""));
            takeovers.runOnce();
            assertThat(live.all()).hasSize(2);
        }
    }

    @Nested
    class Threads {
        @Test
        void a_run_for_which_no_thread_could_be_started_is_left_if_its_code_runs() throws Exception {
            JobId id = enqueue();
            ClaimedJob claimed = source.claim(
                            ClaimRequest.of("self", List.of(JobSpec.DEFAULT_QUEUE), null, 1, Duration.ofMinutes(1)))
                    .get(0);
            var registry = new Registry().register(LASTING);
            try (var backend = new WorkerBackend(
                    source,
                    Map.of(Isolation.KUBERNETES, new Follower()),
                    registry,
                    WorkerConfig.DEFAULT.withDrain(Duration.ZERO),
                    null)) {
                backend.initialize();
                LiveRun run = Objects.requireNonNull(backend.live().takeOver(claimed, 1));
                backend.refused(run);
                assertThat(Workbench.soon(run.settled()).won()).isFalse();
                assertThat(backend.live().find(id)).isNull();
            }
            assertThat(job(id).status()).isEqualTo(JobStatus.RUNNING);
        }
    }

    @Nested
    class Timeouts {
        @Test
        void count_from_the_stored_start() {
            var bench = new Workbench();
            LiveRun first = bench.claimed();
            var registry = new Registry().register(Workbench.NOTHING);
            var live = new LiveRuns(registry, bench.surroundings);
            var claimed = bench.source.claimed(first.claim().key()).get(0);
            var times = claimed.job().times();
            var earlier = new Times(
                    times.createdAt(),
                    times.updatedAt(),
                    times.runAt(),
                    Instant.now().minusSeconds(600),
                    null);
            Job job = claimed.job();
            Job old = new Job(
                    job.spec(), job.status(), earlier, job.tally(), job.progress(), job.lease(), null, null, null);
            LiveRun run = Objects.requireNonNull(live.takeOver(new ClaimedJob(claimed.claim(), old), 1));
            run.begin(Thread.currentThread());
            assertThat(System.nanoTime() - run.startedAt()).isGreaterThan(TimeUnit.SECONDS.toNanos(599));
            run.end();
        }
    }

    @Nested
    class Workers {
        /** Steps the loop by hand: a worker is silent when the same heartbeat was read five times. */
        @Test
        void count_as_active_until_their_heartbeat_was_read_unchanged_several_times() {
            var executor = new Follower();
            executor.workFor("self");
            var claim = new Claim(JobId.next(), 1, Claim.newKey());
            outside.followers.put(claim, "dead");
            heartbeats.latest.put("self", Instant.now());
            heartbeats.latest.put("dead", Instant.now());
            var live = new Workbench().live;
            var takeovers = new Takeovers(source, live, List.of(executor), Set.of(LASTING.ref()), "self", run -> {});
            for (int i = 0; i < 4; i++) {
                takeovers.runOnce();
                assertThat(outside.discarded).isEmpty();
            }
            heartbeats.latest.put("dead", Instant.now());
            for (int i = 0; i < 4; i++) {
                takeovers.runOnce();
                assertThat(outside.discarded).isEmpty();
            }
            takeovers.runOnce();
            assertThat(outside.discarded).containsExactly(claim);
        }

        /** Its first heartbeat may be stored after a pass has read the heartbeats. */
        @Test
        void count_as_active_in_the_first_pass_that_does_not_know_them() {
            var executor = new Follower();
            executor.workFor("self");
            var claim = new Claim(JobId.next(), 1, Claim.newKey());
            outside.followers.put(claim, "new");
            heartbeats.latest.put("self", Instant.now());
            var live = new Workbench().live;
            var takeovers = new Takeovers(source, live, List.of(executor), Set.of(LASTING.ref()), "self", run -> {});
            takeovers.runOnce();
            heartbeats.latest.put("new", Instant.now());
            takeovers.runOnce();
            heartbeats.latest.remove("new");
            takeovers.runOnce();
            assertThat(outside.discarded).isEmpty();
            takeovers.runOnce();
            assertThat(outside.discarded).containsExactly(claim);
        }
    }
}
