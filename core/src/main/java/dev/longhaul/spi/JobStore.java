package dev.longhaul.spi;

import dev.longhaul.JobQuery;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The port for reading and changing stored jobs. Throws {@link dev.longhaul.error.LonghaulException} for invalid
 * arguments, and for commands that are not allowed in the job's state.
 */
public interface JobStore {
    /**
     * Stores all of these jobs, or none. For a spec whose idempotency key its definition has already used, or whose id
     * exists, returns that first job, unchanged and regardless of the rest of the spec. With
     * {@link JobSpec#keyOfVersion()} only a job of the same version counts.
     */
    List<Inserted> insert(List<JobSpec> specs);

    /**
     * Changes one job. Throws {@code not_found} for an unknown job, and {@code failed_precondition} when the job's
     * state forbids the command.
     */
    CommandResult execute(JobCommand command);

    Optional<Job> find(JobId id);

    /**
     * The job of that definition with that idempotency key.
     *
     * @param version null finds the first job with that key, of any version
     */
    Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey);

    JobPage list(JobQuery query);

    /** How many jobs that query would list, by status; ignores its order, limit and cursor. */
    JobCounts count(JobQuery query);

    /**
     * Runs of the job with a higher number than {@code after}, oldest first. A page ends early when it reaches {@link
     * Limits#PAGE_BYTES}; it is empty only when there are no more runs.
     */
    List<Run> runs(JobId id, int after, int limit);

    /** All runs of the job, oldest first. */
    default List<Run> runs(JobId id) {
        var all = new ArrayList<Run>();
        for (List<Run> page = runs(id, 0, Limits.PAGE);
                !page.isEmpty();
                page = runs(id, all.get(all.size() - 1).run(), Limits.PAGE)) {
            all.addAll(page);
        }
        return all;
    }

    /**
     * Reads a page of events. It ends early when it reaches {@link Limits#PAGE_BYTES}, and is empty only when there are
     * no more events.
     */
    List<JobEvent> events(EventQuery query);

    /** The highest stored sequence of the run's reported events, 0 for none; empty when the claim is lost. */
    OptionalInt lastSequence(Claim claim);
}
