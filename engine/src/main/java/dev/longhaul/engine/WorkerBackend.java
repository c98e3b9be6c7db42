package dev.longhaul.engine;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.engine.run.FailureLog;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.engine.run.Report;
import dev.longhaul.engine.run.RunContext;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.engine.run.UnstoredContext;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.internal.loop.Closing;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.spi.ClaimById;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Health;
import dev.longhaul.spi.Outcome;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A work source plus executors: everything needed to run jobs, except deciding when to claim. {@link Worker} adds a
 * loop that claims continuously; callers that run a single pass or one given job use the backend directly.
 */
public final class WorkerBackend implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerBackend.class);
    /** What may follow the drain time: interrupting code, storing ends, running hooks. */
    private static final Duration CLOSING = Duration.ofSeconds(4);

    private static final long LONGEST_CLOSE_MILLIS = 5000;
    private static final long SHORTEST_CLOSE_MILLIS = 100;

    private final WorkSource source;
    private final Map<String, Executor> executors;
    private final Registry registry;
    private final WorkerConfig config;
    private final LiveRuns live;
    private final Report.Pending reports = new Report.Pending();
    private final AtomicBoolean draining = new AtomicBoolean();
    private final AtomicLong closeUntil = new AtomicLong();
    private final Notices notices;
    private final HookRunner hooks;
    private final Completions completions;
    private final LeaseKeeper leases;
    private final Begins begins;
    private final RunWatch watch;
    private final JobRunner runner;
    private final RunContext.Surroundings surroundings;
    private volatile Runnable whenStored = () -> {};
    private boolean initialized;

    /** Result of one job; {@code error} is null when it succeeded. */
    public record Executed(
            JobId jobId,
            boolean success,
            long durationMs,
            @Nullable Failure error) {}

    /**
     * Creates a backend for the given source.
     *
     * @param executors by name; each definition runs in the one that its isolation names
     */
    public WorkerBackend(
            WorkSource source,
            Map<String, Executor> executors,
            Registry registry,
            WorkerConfig config,
            @Nullable DataSource dataSource) {
        this.source = source;
        this.executors = new TreeMap<>(executors);
        this.registry = registry;
        this.config = config;
        this.surroundings = new RunContext.Surroundings(source, reports, draining::get, config.lease(), dataSource);
        this.live = new LiveRuns(registry, surroundings);
        this.notices = new Notices(source);
        this.hooks = new HookRunner(source, registry);
        this.completions = new Completions(source, live, reports, this::stored);
        this.leases = new LeaseKeeper(source, live, config.lease());
        live.onAdopted(this::adopted);
        this.begins = new Begins(source, live);
        this.runner = new JobRunner(this.executors, begins, hooks, completions, notices, config.logFailures());
        this.watch = new RunWatch(live, this::endsCode, config.cancelGrace(), this::endNow);
    }

    /** Traces the runs that are claimed from now on. Exceptions of the tracer do not affect runs. */
    public void traceBy(RunTracing runTracing) {
        live.traceBy(runTracing);
    }

    /** Registers the definitions, and starts the threads that every run requires. */
    public void initialize() {
        for (Executor executor : executors.values()) {
            if (executor instanceof Executor.Lasting lasting) {
                lasting.workFor(config.workerId());
            }
            executor.initialize();
        }
        source.directory()
                .register(
                        registry.all().stream()
                                .<KnownDefinition>map(KnownDefinition::of)
                                .toList(),
                        hooks.hookedKeys());
        initialized = true;
        completions.start();
        leases.start();
        begins.start();
        watch.start();
    }

    /** Prepares the executors for their definitions; fails if a definition cannot be run. */
    public void prepare() {
        registry.all().forEach(definition -> runner.executorOf(definition).prepare(definition));
    }

    /** Claims up to {@code max} due jobs for this process. */
    public List<ClaimedJob> claim(int max) {
        requireOpen();
        List<String> queues = List.copyOf(config.queues().keySet());
        Set<DefinitionRef> known = registry.names();
        if (known.isEmpty()) {
            return List.of();
        }
        ClaimRequest request = ClaimRequest.of(config.workerId(), queues, known, max, config.lease())
                .beginning(ClaimRequest.Begin.ORDINARY);
        long began = System.nanoTime();
        List<ClaimedJob> claimed = source.claim(request);
        if (claimed.isEmpty()) {
            claimed = source.claim(ClaimRequest.of(config.workerId(), queues, known, 1, config.lease())
                    .beginning(ClaimRequest.Begin.ORDINARY)
                    .forLastLife());
        }
        Duration claiming = Duration.ofNanos(System.nanoTime() - began);
        return claimed.stream()
                .filter(job -> live.adoptOrGiveBack(job, claiming) != null)
                .toList();
    }

    /** Claims one given job, due or not. */
    public ClaimedJob claim(JobId id, ClaimById jobs) {
        requireOpen();
        long began = System.nanoTime();
        ClaimedJob claimed = jobs.claimOne(id, Claim.newKey(), config.workerId(), config.lease());
        live.adopt(claimed, Duration.ofNanos(System.nanoTime() - began));
        return claimed;
    }

    /** Runs a job claimed here in the calling thread; returns after its end is stored and its hooks have run. */
    public Executed execute(ClaimedJob claimed) {
        LiveRun run = live.find(claimed.claim().jobId());
        if (run == null || !run.claim().equals(claimed.claim())) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION, "job " + claimed.job().id() + " is not claimed by this worker");
        }
        run.await();
        long start = System.nanoTime();
        runner.run(run);
        long millis = Math.round((System.nanoTime() - start) / 1e6);
        boolean won = run.settled().join().won();
        Job after = source.find(claimed.job().id()).orElse(claimed.job());
        if (won) {
            hooks.endedHere(after);
        }
        boolean success = won && after.state() == JobState.SUCCEEDED;
        Failure error = won ? after.failure() : Failure.of(Failure.LOST, "the lease was lost while the job ran");
        return new Executed(claimed.job().id(), success, millis, success ? null : error);
    }

    /** Runs code in the calling thread without a stored job. */
    public Outcome execute(JobDefinition<?, ?> definition, String params) {
        var context = new UnstoredContext(definition, surroundings.dataSource());
        return runner.executorOf(definition).execute(new Unstored(definition, params, context));
    }

    /** The execution of code without a stored job: none of its reports is stored, and it has no lease to lose. */
    private record Unstored(JobDefinition<?, ?> definition, String params, JobContext context) implements Execution {
        @Override
        public void report(EventType type, String payload) {}

        @Override
        public long nanosLeft() {
            return Long.MAX_VALUE;
        }
    }

    /**
     * Runs a job in the calling thread for the worker that has claimed and begun it. That worker keeps its lease and
     * runs its start hooks. Returns whether the end of the job was stored, after its end hooks have run.
     */
    public boolean executeFor(ClaimedJob claimed) {
        requireOpen();
        LiveRun run = live.takeOver(claimed, Report.EXECUTES_FOR_WORKERS);
        if (run == null) {
            throw new LonghaulException(
                    ErrorCode.UNKNOWN_DEFINITION,
                    "definition " + claimed.job().spec().definition() + " is not registered here");
        }
        Executed executed = execute(claimed);
        LOG.debug("{}: {}", run, executed);
        return run.settled().join().won();
    }

    /** Requests running code to stop, waits up to {@code grace} for it, then interrupts it and shuts down. */
    public void terminate(Duration grace) {
        live.all().stream().filter(run -> !outlives(run)).forEach(run -> run.stop(LiveRun.Stop.RELEASE));
        shutdown(grace);
    }

    /** Gives a claimed job back without spending an attempt. */
    public void release(ClaimedJob claimed) {
        LiveRun run = live.find(claimed.claim().jobId());
        if (run != null && run.claim().equals(claimed.claim())) {
            giveBack(List.of(run));
            run.settled().join();
        }
    }

    /** Runs the due hooks of ended jobs whose hooks no worker has run. */
    public int runHooks() {
        return hooks.runOnce();
    }

    public Health health() {
        List<String> down = Loops.down();
        if (!down.isEmpty()) {
            return new Health(false, String.join("; ", down));
        }
        int stuck = watch.stuck();
        if (stuck > 0) {
            return new Health(false, stuck + " threads run code that ignores its interrupt");
        }
        return executors.values().stream()
                .map(Executor::health)
                .filter(health -> !health.healthy())
                .findFirst()
                .orElse(Health.OK);
    }

    /** The definitions whose jobs can run here. */
    public Set<DefinitionRef> definitions() {
        return registry.names();
    }

    public WorkerConfig config() {
        return config;
    }

    public Notices notices() {
        return notices;
    }

    /** Stops everything; runs that have not ended are given back without spending an attempt. */
    @Override
    public void close() {
        shutdown(config.drain());
    }

    /** Waits up to {@code drain} for running jobs, then interrupts them and gives them back, which takes at most 4 s. */
    public void shutdown(Duration drain) {
        if (draining.getAndSet(true) && !initialized) {
            return;
        }
        closeUntil.compareAndSet(0, System.nanoTime() + drain.plus(CLOSING).toNanos());
        var closing = new Closing();
        closing.part(() -> live.all().forEach(LiveRun::draining));
        closing.part(() -> new Drain(live, completions, this::outlives).run(drain));
        closing.part(() -> completions.close(millisLeft()))
                .part(() -> hooks.close(millisLeft()))
                .part(() -> leases.close(millisLeft()))
                .part(begins::close)
                .part(watch::close)
                .part(notices::close);
        executors.values().forEach(executor -> closing.part(executor::shutdown));
        initialized = false;
        closing.throwIfAny();
    }

    /** How long closing one part may take, so that all of them together take the drain time and {@link #CLOSING}. */
    private long millisLeft() {
        long left = TimeUnit.NANOSECONDS.toMillis(closeUntil.get() - System.nanoTime());
        return Math.max(SHORTEST_CLOSE_MILLIS, Math.min(LONGEST_CLOSE_MILLIS, left));
    }

    /** Throws UNAVAILABLE once this backend is shutting down. */
    public void requireOpen() {
        if (draining.get()) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "this worker is shutting down");
        }
    }

    /** The executors of registered definitions whose code outlives this worker. */
    List<Executor.Lasting> lasting() {
        Set<String> used = registry.all().stream()
                .map(definition -> definition.isolation().executor())
                .collect(Collectors.toSet());
        return executors.entrySet().stream()
                .filter(entry -> used.contains(entry.getKey()))
                .flatMap(entry ->
                        entry.getValue() instanceof Executor.Lasting lasting ? Stream.of(lasting) : Stream.empty())
                .toList();
    }

    private void adopted(LiveRun run) {
        run.onLonger(leases::wake);
        leases.adopted(run);
    }

    LiveRuns live() {
        return live;
    }

    JobRunner runner() {
        return runner;
    }

    /** Gives back runs that have not begun. */
    void giveBack(List<LiveRun> runs) {
        runs.forEach(run -> {
            run.end();
            completions.giveBack(run);
        });
    }

    /** Takes a run for which no thread could be started. The code of a run that was taken over already runs. */
    void refused(LiveRun run) {
        if (outlives(run)) {
            run.end();
            completions.leave(run);
        } else {
            giveBack(List.of(run));
        }
    }

    /** Returns whether code of the run may be running outside this process ({@link Executor.Lasting}). */
    private boolean outlives(LiveRun run) {
        return executors.get(run.definition().isolation().executor()) instanceof Executor.Lasting
                && (run.running() || run.ended() || run.takeovers() > 0);
    }

    /** Calls {@code action} whenever a run of a definition with a concurrency limit ends. */
    void onPlaceFree(Runnable action) {
        whenStored = action;
    }

    /** Starts to run hooks that no other process has run. */
    void startHooks() {
        hooks.start();
    }

    void startDraining() {
        draining.set(true);
        live.all().forEach(LiveRun::draining);
    }

    /** Ends a job whose code has not ended. */
    private void endNow(LiveRun run, Transition transition) {
        if (completions.endNow(run, transition) && config.logFailures()) {
            LogContext.around(run.context(), () -> FailureLog.log(run, transition));
        }
    }

    private boolean endsCode(JobDefinition<?, ?> definition) {
        return runner.executorOf(definition).endsCode(definition);
    }

    private void stored(LiveRun run, Transition transition) {
        if (!run.awaited()) {
            hooks.stored(run, transition);
        }
        notices.ended(run, transition);
        if (run.definition().concurrencyLimit() > 0) {
            whenStored.run();
        }
    }
}
