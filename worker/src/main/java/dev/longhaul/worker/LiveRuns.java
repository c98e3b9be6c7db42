package dev.longhaul.worker;

import dev.longhaul.job.JobId;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The runs that this process owns, by job: at most one per job, so that a job never runs twice at once here. */
final class LiveRuns {
    private final Map<JobId, LiveRun> runs = new ConcurrentHashMap<>();
    /** Lost runs whose job has come back here as a new run before their code has ended. */
    private final Set<LiveRun> displaced = ConcurrentHashMap.newKeySet();

    /** Adds a run. An earlier run of the same job has lost its lease, whether we know it yet or not; this one waits for its end. */
    void add(LiveRun run) {
        LiveRun older = runs.put(run.claim().jobId(), run);
        if (older == null) {
            return;
        }
        older.lose();
        if (!older.ended()) {
            displaced.add(older);
            run.comesAfter(older);
        }
    }

    void remove(LiveRun run) {
        runs.remove(run.claim().jobId(), run);
    }

    @Nullable
    LiveRun find(JobId id) {
        return runs.get(id);
    }

    /** The runs that hold a lease, as far as we know. */
    Collection<LiveRun> all() {
        return runs.values();
    }

    /** Calls {@code action} on every run whose code may be running, those that were displaced included. */
    void eachRunning(Consumer<LiveRun> action) {
        displaced.removeIf(LiveRun::ended);
        displaced.forEach(action);
        for (LiveRun run : runs.values()) {
            if (run.running()) {
                action.accept(run);
            }
        }
    }
}
