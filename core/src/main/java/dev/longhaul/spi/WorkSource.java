package dev.longhaul.spi;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Step;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The port from which a worker claims jobs and to which it reports. The engine depends on nothing else of a store: an
 * implementation of this port is enough to run jobs.
 *
 * <p>A write about a running job carries its {@link Claim} and returns whether it took effect. A lost claim is a return
 * value, not an exception. A job that another session has locked does not delay other jobs: its verdict is {@link
 * Verdict#LOCKED}. A source that is unavailable throws {@link dev.longhaul.error.LonghaulException} with code {@code
 * unavailable}: it may be unknown then whether the call took effect, and calling again with the same arguments is safe.
 */
public interface WorkSource {
    /**
     * Leases due jobs: highest priority first, then earliest run time, then smallest id. Returns no job of a paused
     * queue, none over its definition's concurrency limit, and jobs on their last life only if requested. Each job
     * goes to one claimer. A claim spends an attempt and starts a run. During concurrent claims it may return fewer
     * jobs than are due; {@link #untilNextDue} shows whether to claim again.
     */
    List<ClaimedJob> claim(ClaimRequest request);

    /** The jobs still held by the claims of that batch: the result of a claim whose response was lost. */
    List<ClaimedJob> claimed(UUID batch);

    /**
     * Records that the code of these runs begins; one verdict per claim, in order. A run whose begin is not stored
     * when its lease expires returns to waiting, its attempt unspent.
     */
    List<Verdict> begin(List<Claim> claims);

    /**
     * Extends leases, each to that long from now; one result per claim, in order. Also extends a claim whose row
     * another session has locked.
     */
    List<LeaseRenewal> extend(List<Claim> claims, Duration lease);

    /** Stores progress, events and steps of runs; one verdict per update, in order. At most one update per claim. */
    List<Verdict> save(List<RunUpdate> updates);

    /**
     * Ends runs; one verdict per transition, in order. A transition that cannot be stored does not affect the others.
     * Applying the same transition again with the same claim returns won again.
     */
    List<Verdict> apply(List<Transition> transitions);

    /** The finished steps of a job that runs in this worker, in the order they were stored. */
    List<Step> steps(JobId id);

    /**
     * Time until the next job that matches the filter is due; zero if one is due now, empty if none waits. For jobs on
     * their last life it returns only zero (one is due now) or empty.
     */
    Optional<Duration> untilNextDue(WorkFilter filter);

    /** Calls {@code listener} on signals from this and other processes, until the subscription is closed. */
    Subscription listen(Consumer<Signal> listener);

    /** Finds a job. A source may return empty unless a worker of this process has just ended the job. */
    Optional<Job> find(JobId id);

    /**
     * The directory in which workers register themselves and their definitions; {@link WorkerDirectory#NONE} if the
     * source lists neither.
     */
    WorkerDirectory directory();

    /** The source of ended jobs whose hooks workers must run; {@link HookSource#NONE} if the source stores no hooks. */
    HookSource hooks();
}
