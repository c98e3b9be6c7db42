package dev.longhaul.spi;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The ended jobs whose hooks workers run. A source that stores no hooks implements {@link #find} alone: workers run
 * the hooks of the jobs that they end themselves.
 */
public interface HookSource {
    /** How long only the worker that ended a job may run its hooks. */
    Duration HOOK_HEAD_START = Duration.ofSeconds(30);

    /** The job, at least if a worker of this process has just ended it. */
    Optional<Job> find(JobId id);

    /**
     * Hands out ended jobs whose hooks the caller has to run, each to one caller, longest due first. A job whose hooks
     * are not reported as done within {@code hold} is handed out again. A worker that ends a job by its claim runs the
     * hooks itself: they are handed out only when it has not reported them after {@link #HOOK_HEAD_START}.
     */
    default List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return List.of();
    }

    /**
     * Reports that the job's hooks have run; each failure becomes an event. Hooks that are no longer due are ignored.
     */
    default void hooksDone(JobId id, List<String> failures) {}
}
