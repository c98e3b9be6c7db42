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
 * The runs that this process owns, by job: at most one per job, so that a job never runs twice at once here. A claimed job becomes a
 * run here, or is given back.
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

    /** Traces the runs that are adopted from now on. A tracer that throws harms no run. */
    public void traceBy(RunTracing runTracing) {
        tracing = runTracing == RunTracing.OFF ? runTracing : new GuardedTracing(runTracing);
    }

    /** Called with every run that a claimed job has become. */
    public void onAdopted(Consumer<LiveRun> action) {
        whenAdopted = action;
    }

    /** Makes a run out of a claimed job; null when that failed and the job was given back, so that no other suffers. */
    public @Nullable LiveRun adoptOrGiveBack(ClaimedJob claimed, Duration claiming) {
        try {
            return adopt(claimed, claiming);
        } catch (RuntimeException | Error e) {
            // Logged where the job was given back.
            return null;
        }
    }

    /** Makes a run out of a claimed job; throws when that failed and the job was given back. */
    public LiveRun adopt(ClaimedJob claimed, Duration claiming) {
        try {
            DefinitionRef ref = claimed.job().spec().definition();
            JobDefinition<?, ?> definition = registry.find(ref)
                    .orElseThrow(() -> new LonghaulException(
                            ErrorCode.UNKNOWN_DEFINITION,
                            "definition " + ref + " is not registered here; the job was given back"));
            var run = new LiveRun(claimed, definition, surroundings, tracing.claimed(claimed, claiming));
            add(run);
            whenAdopted.accept(run);
            return run;
        } catch (RuntimeException | Error e) {
            giveBack(claimed, e);
            throw e;
        }
    }

    /** Gives back a claimed job that could not become a run. If that fails too, its lease lapses. */
    private void giveBack(ClaimedJob claimed, Throwable why) {
        LOG.error("{}: claimed, but cannot be run here; giving it back", claimed.claim(), why);
        try {
            surroundings.source().apply(List.of(Transition.giveBack(claimed.claim())));
        } catch (RuntimeException | Error e) {
            LOG.error("{}: could not be given back; its lease will lapse", claimed.claim(), e);
        }
    }

    /** Adds a run. An earlier run of the same job no longer owns it, whether we know it yet or not; this one waits for its end. */
    public void add(LiveRun run) {
        JobId id = run.claim().jobId();
        LiveRun older = runs.put(id, run);
        if (older != null) {
            older.lose();
            displaced.add(older);
        }
        displaced.removeIf(LiveRun::ended);
        if (!displaced.isEmpty()) {
            run.comesAfter(displaced.stream()
                    .filter(one -> one.claim().jobId().equals(id))
                    .toList());
        }
    }

    /** The job of that run ends now, though its code goes on: the run is watched until that ends. */
    public void abandon(LiveRun run) {
        displaced.add(run);
    }

    public void remove(LiveRun run) {
        runs.remove(run.claim().jobId(), run);
    }

    public @Nullable LiveRun find(JobId id) {
        return runs.get(id);
    }

    /** The runs that hold a lease, as far as we know. */
    public Collection<LiveRun> all() {
        return runs.values();
    }

    /** How many threads run code that ignores its interrupt. */
    public int stuck() {
        var stuck = new AtomicInteger();
        eachRunning(run -> stuck.addAndGet(run.toldStuck ? 1 : 0));
        return stuck.get();
    }

    /** Calls {@code action} on every run whose code may be running, those that were displaced included. */
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
