package dev.longhaul.spi;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Returns ended jobs to workers, which then run the hooks of these jobs. A work source that stores no hooks returns
 * {@link #NONE}.
 */
public interface HookSource {
    /** How long after the end of a job only the worker that ended it may run its hooks. */
    Duration HOOK_HEAD_START = Duration.ofSeconds(30);

    /** Stores no hooks: workers run the hooks of the jobs that they end themselves, and of no others. */
    HookSource NONE = new HookSource() {
        @Override
        public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
            return List.of();
        }

        @Override
        public void hooksDone(JobId id, List<String> failures) {}
    };

    /**
     * Returns ended jobs whose hooks the caller has to run, each to one caller, longest due first. A job whose hooks
     * are not reported as done within {@code hold} is returned again. A worker that ends a job by its claim runs the
     * hooks
     * itself: this method returns the job only if that worker has not reported them after {@link #HOOK_HEAD_START}.
     */
    List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold);

    /**
     * Reports that the job's hooks have run; each failure becomes an event. Hooks that are no longer due are ignored.
     */
    void hooksDone(JobId id, List<String> failures);
}
