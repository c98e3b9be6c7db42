package dev.longhaul.spi;

import dev.longhaul.JobQuery;
import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.webhook.WebhookStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Where jobs live. What a method has returned is committed. Writes about a running job carry its {@link Claim} and answer
 * whether they took effect: losing is a value, not an exception. Due times and leases are judged by the store's own clock.
 *
 * <p>Bad arguments and steps that a job's state forbids throw {@link dev.longhaul.error.LonghaulException}; so does a store
 * that is out of reach, with code {@code unavailable}. Then it may be unknown whether the call took effect; calling it again with
 * the same arguments is safe. For a {@link JobCommand}, the second call may then report that the job has already left the state
 * that the command needs.
 */
public interface JobStore extends WorkSource, HookSource, ClaimById, QueueStore, Upkeep, AutoCloseable {
    // Asking for jobs

    /**
     * Stores all of these jobs, or none. A spec whose idempotency key its definition has seen, or whose id exists, returns
     * that first job, unchanged, whatever else it says. With {@link JobSpec#keyOfVersion()} only a job of the same version
     * counts as seen.
     */
    List<Inserted> insert(List<JobSpec> specs);

    /**
     * Stores jobs like {@link #insert}, for callers who promise that no spec of these was ever sent before: a store then need not
     * look whether its id has been used up already.
     */
    default List<Inserted> insertFresh(List<JobSpec> specs) {
        return insert(specs);
    }

    /**
     * Changes one job. Throws {@code not_found} for an unknown job, and {@code failed_precondition} when the job's state forbids the
     * command.
     */
    CommandResult execute(JobCommand command);

    // Reading

    /** The store's clock. */
    Instant now();

    /** Fails as {@code unavailable} if the store cannot be reached, or is known to refuse writes; writes nothing itself. */
    default void checkWritable() {}

    @Override
    Optional<Job> find(JobId id);

    /**
     * The job of that definition that has that idempotency key.
     *
     * @param version null finds the first job with that key, of whatever version
     */
    Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey);

    JobPage list(JobQuery query);

    /** How many jobs that query would list, by status; its order, limit and cursor do not count. */
    JobCounts count(JobQuery query);

    /**
     * Executions of the job with a higher number than {@code after}, oldest first. Fewer than {@code limit} when they have
     * {@link Limits#PAGE_BYTES}; none only when there are none.
     */
    List<Run> runs(JobId id, int after, int limit);

    /** Every execution of the job, oldest first. */
    default List<Run> runs(JobId id) {
        var all = new ArrayList<Run>();
        for (List<Run> page = runs(id, 0, Limits.PAGE);
                !page.isEmpty();
                page = runs(id, all.get(all.size() - 1).run(), Limits.PAGE)) {
            all.addAll(page);
        }
        return all;
    }

    /** Fewer events than asked for when they have {@link Limits#PAGE_BYTES}; none only when there are none. */
    List<JobEvent> events(EventQuery query);

    /** The highest sequence of the events that the run has reported and that are stored, 0 for none; empty when the claim is lost. */
    OptionalInt lastSequence(Claim claim);

    /** Sets whether jobs of that definition have hooks; those that end from now on then get them. */
    void hooks(String definitionKey, boolean any);

    @Override
    default HookSource hooks() {
        return this;
    }

    @Override
    default WorkerDirectory directory() {
        return new StoreDirectory(this);
    }

    /**
     * What this store offers beyond its ports; empty when it does not. A store that wraps another one passes the question on.
     *
     * @param type a small interface that only some stores implement
     */
    default <C> Optional<C> capability(Class<C> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
    }

    /** Reports to {@code listener} what this store does in this process, until the subscription is closed. */
    Subscription observe(StoreListener listener);

    // Beside the jobs

    /** The definitions and workers of the cluster. */
    Catalog catalog();

    /** What makes jobs at given times. */
    ScheduleStore schedules();

    /** Keys, sessions and the audit trail. */
    AccessStore access();

    /** How the cluster has been doing. */
    StatsStore stats();
    /** Who is told over HTTP of what happens, and what is to be sent to them. */
    WebhookStore webhooks();

    @Override
    void close();
}
