package dev.longhaul.spi;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.schedule.Fire;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.Expired;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A listener for a store's operations in this process, for metrics. A store calls it after its commit, in the thread
 * of its caller, so implementations return quickly and call no store. Their exceptions are logged and have no other
 * effect. The default methods do nothing.
 *
 * <p>Jobs that are inserted in the caller's own transaction are reported only by callers that report its commit:
 * otherwise the store does not know whether it commits.
 */
public interface StoreListener {
    /** The timed operations of a store. */
    enum Operation {
        INSERT,
        CLAIM,
        EXTEND,
        SAVE,
        APPLY
    }

    /**
     * An operation returned or failed.
     *
     * @param jobs how many jobs its result is about; 0 when it failed
     * @param failure the exception that it threw; null when it returned
     */
    default void called(Operation operation, Duration took, int jobs, @Nullable Throwable failure) {}

    /** New jobs were stored, including jobs of schedules. */
    default void enqueued(List<JobSpec> jobs) {}

    /**
     * Runs have started. A claim whose response was lost is reported again when it is read again.
     *
     * @param lease null when the claims were read again
     */
    default void claimed(List<ClaimedJob> claimed, @Nullable Duration lease) {}

    /** Leases were extended, or their claims are lost. */
    default void extended(List<LeaseRenewal> answers, Duration lease) {}

    /** Progress, events and steps were saved, or not: one verdict per update, in order. */
    default void saved(List<RunUpdate> updates, List<Verdict> verdicts) {}

    /** These transitions are about to be applied. This is the only event that is reported before its commit. */
    default void applying(List<Transition> transitions) {}

    /**
     * A run has ended, by a transition or because it was past its deadline. Reported once, as soon as its end is
     * committed, even when the operation then fails for other runs.
     */
    default void ended(Claim claim, EndedRun run) {}

    /**
     * The verdicts of an operation, in order. A won transition without {@link #ended} was stored by an earlier call.
     */
    default void applied(List<Transition> transitions, List<Verdict> verdicts) {}

    /** A job was cancelled while it was waiting. */
    default void cancelled(Job job) {}

    /** Runs were ended because their leases expired. */
    default void expired(List<Expired> expired) {}

    /** Called after each attempt to take or renew leadership, with whether this process is the leader. */
    default void leads(boolean leads) {}

    /** Schedules have fired. */
    default void fired(List<Fire> fires) {}
}
