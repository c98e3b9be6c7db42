package dev.longhaul.worker;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.definition.JobContext;
import dev.longhaul.definition.JobDefinition;
import dev.longhaul.definition.Registry;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Transition;
import dev.longhaul.loop.Closing;
import dev.longhaul.loop.Loops;
import dev.longhaul.store.ClaimRequest;
import dev.longhaul.store.ClaimedJob;
import dev.longhaul.store.JobStore;
import dev.longhaul.store.Signal;
import dev.longhaul.store.Subscription;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store plus an executor: everything it takes to run jobs but the decision when to claim. {@link Worker} adds a loop that
 * claims all the time; a tick, or running one given job, uses it as it is.
 */
public final class WorkerBackend implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerBackend.class);
    private static final Duration TICK_TERM = Duration.ofSeconds(10);
    private static final int MOST_EXPIRED = 1000;

    private final JobStore store;
    private final Executor executor;
    private final Registry registry;
    private final WorkerConfig config;
    private final LiveRuns live = new LiveRuns();
    private final Reports reports = new Reports();
    private final AtomicBoolean draining = new AtomicBoolean();
    private final Notices notices;
    private final HookRunner hooks;
    private final Completions completions;
    private final LeaseKeeper leases;
    private final Begins begins;
    private final RunWatch watch;
    private final JobRunner runner;
    private final RunContext.Surroundings surroundings;
    private volatile Runnable whenStored = () -> {};
    private volatile RunTracing tracing = RunTracing.OFF;
    private @Nullable Subscription cancels;

    /** Claimed jobs, and how many more wait that could be claimed: whoever scales workers wants to know. */
    public record Polled(List<ClaimedJob> claimed, long waiting) {}

    /** What came of one job; {@code error} is null when it succeeded. */
    public record Executed(
            JobId jobId,
            boolean success,
            long durationMs,
            @Nullable Failure error) {}

    public WorkerBackend(
            JobStore store,
            Executor executor,
            Registry registry,
            WorkerConfig config,
            @Nullable DataSource dataSource) {
        this.store = store;
        this.executor = executor;
        this.registry = registry;
        this.config = config;
        this.surroundings = new RunContext.Surroundings(store, reports, draining::get, config.lease(), dataSource);
        this.notices = new Notices(store);
        this.hooks = new HookRunner(store, registry);
        this.completions = new Completions(store, live, reports, this::stored);
        this.leases = new LeaseKeeper(store, live, config.lease());
        this.watch = new RunWatch(live, config.cancelGrace(), completions::endNow);
        this.begins = new Begins(store, live);
        this.runner = new JobRunner(executor, begins, hooks, completions, notices, config.logFailures());
    }

    /** Traces the runs that are claimed from now on. A tracer that throws harms no run. */
    public void traceBy(RunTracing runTracing) {
        tracing = runTracing == RunTracing.OFF ? runTracing : new GuardedTracing(runTracing);
    }

    /** Tells the store what it needs to know about the definitions, and starts the threads that every run needs. */
    public void initialize() {
        executor.initialize();
        Map<String, Integer> declaredLimits = register();
        for (JobDefinition<?, ?> definition : registry.all()) {
            String key = definition.ref().key();
            if (registry.latest(key).filter(latest -> latest == definition).isPresent()) {
                store.concurrencyLimit(key, declaredLimits.getOrDefault(key, definition.concurrencyLimit()));
            }
            // Never taken back here: another version, or another process, may still have some.
            if (definition.hooks().anyAtEnd()) {
                store.hooks(key, true);
            }
        }
        cancels = store.listen(signal -> {
            if (signal.kind() == Signal.Kind.CANCEL) {
                leases.cancelWanted(JobId.parse(signal.subject()));
            }
        });
        completions.start();
        leases.start();
        begins.start();
        watch.start();
    }

    /** Lets the executor get ready for all definitions; fails if it cannot run one of them. */
    public void prepare() {
        registry.all().forEach(executor::prepare);
    }

    /** Puts the definitions into the catalog; answers the limits that operators have declared for some keys. */
    private Map<String, Integer> register() {
        Catalog catalog = store.catalog();
        catalog.register(registry.all().stream()
                .<KnownDefinition>map(KnownDefinition::of)
                .toList());
        var limits = new HashMap<String, Integer>();
        if (!registry.names().isEmpty()) {
            // Highest version last.
            catalog.definitions().stream()
                    .filter(KnownDefinition::declared)
                    .forEach(known ->
                            limits.put(known.ref().key(), known.defaults().concurrencyLimit()));
        }
        return limits;
    }

    /** Claims up to {@code max} due jobs for this process. */
    public Polled pollAndClaim(int max) {
        requireOpen();
        List<String> queues = List.copyOf(config.queues().keySet());
        Set<DefinitionRef> known = registry.names();
        if (known.isEmpty()) {
            return new Polled(List.of(), 0);
        }
        ClaimRequest request = ClaimRequest.of(config.workerId(), queues, known, max, config.lease())
                .beginning(ClaimRequest.Begin.ORDINARY);
        long began = System.nanoTime();
        List<ClaimedJob> claimed = store.claim(request);
        if (claimed.isEmpty()) {
            claimed = store.claim(ClaimRequest.of(config.workerId(), queues, known, 1, config.lease())
                    .beginning(ClaimRequest.Begin.ORDINARY)
                    .forLastLife());
        }
        Duration claiming = Duration.ofNanos(System.nanoTime() - began);
        claimed = claimed.stream()
                .filter(job -> adoptOrGiveBack(job, claiming) != null)
                .toList();
        return new Polled(claimed, waiting(queues, known));
    }

    /** Only for whoever scales workers: if it cannot be told, the claimed jobs must run all the same. */
    private long waiting(List<String> queues, Set<DefinitionRef> known) {
        try {
            return store.dueCount(queues, known);
        } catch (LonghaulException e) {
            return 0;
        }
    }

    /** Claims one given job, due or not. */
    public ClaimedJob claim(JobId id) {
        requireOpen();
        long began = System.nanoTime();
        ClaimedJob claimed = store.claimOne(id, Claim.newKey(), config.workerId(), config.lease());
        try {
            adopt(claimed, Duration.ofNanos(System.nanoTime() - began));
        } catch (RuntimeException | Error e) {
            giveBack(claimed, e);
            throw e;
        }
        return claimed;
    }

    /** Runs a job claimed here in the calling thread, and waits until its end is stored and its hooks have run. */
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
        Job after = store.find(claimed.job().id()).orElse(claimed.job());
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
        return executor.execute(new Unstored(definition, params, context));
    }

    /** Code without a job: nothing of it is stored, and nobody takes it away. */
    private record Unstored(JobDefinition<?, ?> definition, String params, JobContext context) implements Execution {
        @Override
        public void report(EventType type, String payload) {}

        @Override
        public long nanosLeft() {
            return Long.MAX_VALUE;
        }
    }

    /** Gives a claimed job back, its attempt unspent. */
    public void release(ClaimedJob claimed) {
        LiveRun run = live.find(claimed.claim().jobId());
        if (run != null && run.claim().equals(claimed.claim())) {
            giveBack(List.of(run));
            run.settled().join();
        }
    }

    /** Ends runs whose leases have lapsed or whose deadlines have passed, unless another process leads; returns how many. */
    public int resetExpired() {
        return store.lead("reset-" + config.workerId(), TICK_TERM, config.lease())
                .map(leadership -> {
                    int expired = store.expireLeases(leadership, MOST_EXPIRED).size()
                            + store.endOverdue(leadership, MOST_EXPIRED).size();
                    store.resign(leadership);
                    return expired;
                })
                .orElse(0);
    }

    /** Runs the hooks of jobs that ended without a worker. */
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
        return executor.health();
    }

    public WorkerConfig config() {
        return config;
    }

    public Notices notices() {
        return notices;
    }

    /** Stops everything; runs that have not ended are given back, their attempts unspent. */
    @Override
    public void close() {
        shutdown(config.drain());
    }

    /** Waits that long for running jobs, then interrupts them and gives them back. */
    public void shutdown(Duration drain) {
        if (draining.getAndSet(true) && cancels == null) {
            return;
        }
        var closing = new Closing();
        closing.part(() -> live.all().forEach(LiveRun::draining));
        closing.part(() -> new Drain(live, completions).run(drain));
        Subscription listening = cancels;
        if (listening != null) {
            closing.part(listening::close);
        }
        closing.part(completions::close)
                .part(hooks::close)
                .part(leases::close)
                .part(begins::close)
                .part(watch::close)
                .part(notices::close)
                .part(executor::shutdown);
        cancels = null;
        closing.throwIfAny();
    }

    /** Refuses once it is shutting down. */
    public void requireOpen() {
        if (draining.get()) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "shutting down; no more jobs are run here");
        }
    }

    /** Makes a run out of a claimed job; null when that failed and the job was given back, so that no other suffers. */
    @Nullable
    LiveRun adoptOrGiveBack(ClaimedJob claimed, Duration claiming) {
        try {
            return adopt(claimed, claiming);
        } catch (RuntimeException | Error e) {
            giveBack(claimed, e);
            return null;
        }
    }

    private LiveRun adopt(ClaimedJob claimed, Duration claiming) {
        DefinitionRef ref = claimed.job().spec().definition();
        JobDefinition<?, ?> definition = registry.find(ref)
                .orElseThrow(() -> new LonghaulException(
                        ErrorCode.UNKNOWN_DEFINITION,
                        "definition " + ref + " is not registered here; the job was given back"));
        var run = new LiveRun(claimed, definition, surroundings, tracing.claimed(claimed, claiming));
        live.add(run);
        leases.adopted(run);
        return run;
    }

    /** Gives back a claimed job that could not become a run. If that fails too, its lease lapses. */
    private void giveBack(ClaimedJob claimed, Throwable why) {
        LOG.error("{}: claimed, but cannot be run here; giving it back", claimed.claim(), why);
        try {
            store.apply(List.of(Transition.giveBack(claimed.claim())));
        } catch (RuntimeException | Error e) {
            LOG.error("{}: could not be given back; its lease will lapse", claimed.claim(), e);
        }
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

    /** Called whenever a place of a limited definition has become free. */
    void onPlaceFree(Runnable action) {
        whenStored = action;
    }

    /** From now on, hooks that nobody else ran are run here. */
    void startHooks() {
        hooks.start();
    }

    void startDraining() {
        draining.set(true);
        live.all().forEach(LiveRun::draining);
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
