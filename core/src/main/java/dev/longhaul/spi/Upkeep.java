package dev.longhaul.spi;

import dev.longhaul.job.CancelRequest;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.Expired;
import dev.longhaul.work.Overdue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Maintains a store. Only one process at a time does this: the leader. */
public interface Upkeep {
    /**
     * Takes or renews leadership; empty while the term of another holder lasts.
     *
     * @param term how long it lasts unless renewed
     * @param lease the longest time that workers' leases are extended by: it decides when ending expired ones is safe
     */
    Optional<Leadership> lead(String holder, Duration term, Duration lease);

    /** Ends the term at once, so that another process may lead. */
    void resign(Leadership leadership);

    /** Ends up to {@code max} runs whose leases expired long enough ago; none once another process is the leader. */
    List<Expired> expireLeases(Leadership leadership, int max);

    /**
     * Ends up to {@code max} runs of remote workers ({@link ClaimRequest#remote}) that are past their deadline,
     * whether or not their leases are still renewed; none once another process is the leader. A run past its timeout
     * is a failed attempt with code {@code timeout}. A run whose cancel request is older than its grace period
     * ({@link CancelRequest#DEFAULT_GRACE} when none was given) is cancelled.
     */
    List<Overdue> endOverdue(Leadership leadership, int max);

    /**
     * Removes jobs that finished longer ago than {@code keep}, at the latest a day later, with their runs, steps and
     * events; none once another process is the leader.
     */
    Retained retain(Leadership leadership, Duration keep);

    /** The result of a retention pass: the numbers of removed jobs and dropped partitions. */
    record Retained(long jobs, int partitionsDropped) {}
}
