package dev.longhaul.engine.run;

import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs that this process owns, by job: at most one per job, so that a job never runs twice at once here. A claimed
 * job is adopted as a run or given back.
 */
public final class LiveRuns {
    private static final Logger LOG = LoggerFactory.getLogger(LiveRuns.class);

    private final Registry registry;
    private final RunContext.Surroundings surroundings;
    private final Map<JobId, LiveRun> runs = new ConcurrentHashMap<>();
    /** Runs that no longer own their job, and whose code has not ended yet. */
    private final Set<LiveRun> displaced = ConcurrentHashMap.newKeySet();

    private volatile RunTracing tracing = RunTracing.OFF;
    private volatile Consumer<LiveRun> whenAdopted = run -> {};

    public LiveRuns(Registry registry, RunContext.Surroundings surroundings) {
        this.registry = registry;
        this.surroundings = surroundings;
    }

    /** Traces the runs that are adopted from now on. Exceptions of the tracer do not affect runs. */
    public void traceBy(RunTracing runTracing) {
        tracing = runTracing == RunTracing.OFF ? runTracing : new GuardedTracing(runTracing);
    }

    /** Calls {@code action} with every adopted run. */
    public void onAdopted(Consumer<LiveRun> action) {
        whenAdopted = action;
    }

    /**
     * Adopts a claimed job as a run; null when that failed and the job was given back, so that other jobs are not
     * affected.
     */
    public @Nullable LiveRun adoptOrGiveBack(ClaimedJob claimed, Duration claiming) {
        try {
            return adopt(claimed, claiming);
        } catch (RuntimeException | Error e) {
            // The failure was logged when the job was given back.
            return null;
        }
    }

    /** Adopts a claimed job as a run; throws when that failed and the job was given back. */
    public LiveRun adopt(ClaimedJob claimed, Duration claiming) {
        try {
            DefinitionRef ref = claimed.job().spec().definition();
            JobDefinition<?, ?> definition = registry.find(ref)
                    .orElseThrow(() -> new LonghaulException(
                            ErrorCode.UNKNOWN_DEFINITION,
                            "definition " + ref + " is not registered here; the job was given back"));
            var run = new LiveRun(claimed, definition, surroundings, tracing.claimed(claimed, claiming));
            add(run);
            try {
                whenAdopted.accept(run);
            } catch (RuntimeException | Error e) {
                remove(run);
                throw e;
            }
            return run;
        } catch (RuntimeException | Error e) {
            giveBack(claimed, e);
            throw e;
        }
    }

    /** Adopts a run that other workers have begun; null if its definition is not registered here. */
    public @Nullable LiveRun takeOver(ClaimedJob claimed, int takeovers) {
        JobDefinition<?, ?> definition =
                registry.find(claimed.job().spec().definition()).orElse(null);
        if (definition == null) {
            return null;
        }
        var trace = tracing.claimed(claimed, Duration.ZERO);
        Instant startedAt = claimed.job().times().startedAt();
        // The two times are from different clocks, but a difference of seconds does not matter to code that outlives
        // workers.
        Duration ran = startedAt == null ? Duration.ZERO : Duration.between(startedAt, Instant.now());
        var past = new Past(takeovers, ran.isNegative() ? Duration.ZERO : ran);
        var run = new LiveRun(claimed, definition, surroundings, trace, past);
        add(run);
        whenAdopted.accept(run);
        return run;
    }

    /** Gives back a claimed job that could not be adopted. If that fails too, its lease expires. */
    private void giveBack(ClaimedJob claimed, Throwable why) {
        LOG.error("{}: claimed, but this worker cannot run it; giving it back", claimed.claim(), why);
        try {
            surroundings.source().apply(List.of(Transition.giveBack(claimed.claim())));
        } catch (RuntimeException | Error e) {
            LOG.error("{}: giving the job back failed; its lease will expire", claimed.claim(), e);
        }
    }

    /**
     * Adds a run. An earlier run of the same job no longer owns it, even if its lost lease is not known yet; this run
     * waits for it.
     */
    public void add(LiveRun run) {
        JobId id = run.claim().jobId();
        LiveRun older = runs.put(id, run);
        if (older != null) {
            older.lose();
            displaced.add(older);
        }
        displaced.removeIf(LiveRun::ended);
        if (!displaced.isEmpty()) {
            run.setPredecessors(displaced.stream()
                    .filter(one -> one.claim().jobId().equals(id))
                    .toList());
        }
    }

    /** Ends the ownership of a run whose code still runs; the run is watched until its code ends. */
    public void abandon(LiveRun run) {
        displaced.add(run);
    }

    public void remove(LiveRun run) {
        runs.remove(run.claim().jobId(), run);
    }

    public @Nullable LiveRun find(JobId id) {
        return runs.get(id);
    }

    /** The runs that hold a lease, as far as this process knows. */
    public Collection<LiveRun> all() {
        return runs.values();
    }

    /** How many threads run code that ignores its interrupt. */
    public int stuck() {
        var stuck = new AtomicInteger();
        eachRunning(run -> stuck.addAndGet(run.stuckReported ? 1 : 0));
        return stuck.get();
    }

    /** Calls {@code action} on every run whose code may be running, including displaced runs. */
    public void eachRunning(Consumer<LiveRun> action) {
        displaced.removeIf(LiveRun::ended);
        displaced.forEach(action);
        for (LiveRun run : runs.values()) {
            if (run.running() && !displaced.contains(run)) {
                action.accept(run);
            }
        }
    }
}
