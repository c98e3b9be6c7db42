package dev.longhaul.engine.run;

import dev.longhaul.job.JobId;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The runs that this process owns, by job: at most one per job, so that a job never runs twice at once here. */
public final class LiveRuns {
    private final Map<JobId, LiveRun> runs = new ConcurrentHashMap<>();
    /** Runs that no longer own their job, and whose code has not ended yet. */
    private final Set<LiveRun> displaced = ConcurrentHashMap.newKeySet();

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
