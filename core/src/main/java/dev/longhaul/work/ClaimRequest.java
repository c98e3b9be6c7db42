package dev.longhaul.work;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Limits;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A worker's request for jobs.
 *
 * @param batch the random key of every claim of this request; with it, a claim whose response was lost is read again
 * @param definitions those the worker can run; null means any
 * @param lastLife true claims only jobs on their last life, false only other jobs. A job on its last life should run
 * alone: its next crash quarantines it, even if a job beside it was the cause
 * @param endMargin for remote workers: how long after the deadline of a run the store ends it
 * ({@code Upkeep.endOverdue}); null for workers that enforce deadlines themselves
 * @param begin which of the claimed runs count as begun with the claim
 */
public record ClaimRequest(
        UUID batch,
        String workerId,
        List<String> queues,
        @Nullable Set<DefinitionRef> definitions,
        int max,
        Duration lease,
        boolean lastLife,
        @Nullable Duration endMargin,
        Begin begin) {

    /**
     * Which of the claimed runs count as begun with the claim; the claimer reports the others
     * ({@code WorkSource.begin}).
     */
    public enum Begin {
        /** All claimed runs. */
        ALL,
        /**
         * All runs except those of jobs with a single attempt, and of jobs with a run that expired before it began.
         * These jobs must not lose an attempt for a run that never began.
         */
        ORDINARY,
        /** No run, because more jobs are claimed than can begin at once. */
        NONE
    }

    public static final int LARGEST_BATCH = 5000;
    public static final Duration LARGEST_END_MARGIN = Duration.ofHours(1);

    public ClaimRequest {
        queues = List.copyOf(queues);
        definitions = definitions == null ? null : Set.copyOf(definitions);
        owner(workerId, lease)
                .require(queues.stream().allMatch(Names::valid), "queues", queues, Names.RULE)
                .require(!queues.isEmpty(), "queues", queues, "at least one")
                .require(max >= 1 && max <= LARGEST_BATCH, "max", max, "1 to " + LARGEST_BATCH)
                .require(
                        endMargin == null || (!endMargin.isNegative() && endMargin.compareTo(LARGEST_END_MARGIN) <= 0),
                        "endMargin",
                        endMargin,
                        "0 to " + LARGEST_END_MARGIN)
                .throwIfAny();
    }

    /** Rejects an invalid worker id or lease. */
    public static void requireOwner(String workerId, Duration lease) {
        owner(workerId, lease).throwIfAny();
    }

    private static Problems owner(String workerId, Duration lease) {
        return new Problems()
                .require(
                        !workerId.isEmpty() && workerId.length() <= Limits.NAME && Text.storable(workerId),
                        "workerId",
                        workerId,
                        "1 to " + Limits.NAME + " characters, no NUL")
                .require(lease.compareTo(Duration.ofMillis(100)) >= 0, "lease", lease, ">= 100 ms");
    }

    /** A request with a fresh random key. */
    public static ClaimRequest of(
            String workerId, List<String> queues, @Nullable Set<DefinitionRef> definitions, int max, Duration lease) {
        return new ClaimRequest(Claim.newKey(), workerId, queues, definitions, max, lease, false, null, Begin.ALL);
    }

    /** The same request with a fresh key, for jobs on their last life. */
    public ClaimRequest forLastLife() {
        return new ClaimRequest(Claim.newKey(), workerId, queues, definitions, max, lease, true, endMargin, begin);
    }

    /** The same request by a remote worker, whose runs the store ends that long after their deadlines. */
    public ClaimRequest remote(Duration margin) {
        return new ClaimRequest(batch, workerId, queues, definitions, max, lease, lastLife, margin, begin);
    }

    /** The same request with other runs begun by the claim. */
    public ClaimRequest beginning(Begin runs) {
        return new ClaimRequest(batch, workerId, queues, definitions, max, lease, lastLife, endMargin, runs);
    }
}
