package dev.longhaul.store;

import dev.longhaul.error.Problems;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Names;
import dev.longhaul.job.Text;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A worker's wish for jobs.
 *
 * @param batch the random key of every claim that this request wins; with it a claim whose answer was lost is read again
 * @param definitions those the worker can run; null means any
 * @param lastLife whether only jobs on their last life are wanted, or else only the others. The next crash of such a job puts
 *     it into quarantine, and what runs beside it may be blamed with it: it should run alone
 */
public record ClaimRequest(
        UUID batch,
        String workerId,
        List<String> queues,
        @Nullable Set<DefinitionRef> definitions,
        int max,
        Duration lease,
        boolean lastLife) {

    public static final int LARGEST_BATCH = 5000;

    public ClaimRequest {
        queues = List.copyOf(queues);
        definitions = definitions == null ? null : Set.copyOf(definitions);
        owner(workerId, lease)
                .require(queues.stream().allMatch(Names::valid), "queues", queues, Names.RULE)
                .require(!queues.isEmpty(), "queues", queues, "at least one")
                .require(max >= 1 && max <= LARGEST_BATCH, "max", max, "1 to " + LARGEST_BATCH)
                .throwIfAny();
    }

    /** Refuses what no claim can be owned by. */
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
        return new ClaimRequest(Claim.newKey(), workerId, queues, definitions, max, lease, false);
    }

    /** The same wish with a fresh key, for jobs on their last life. */
    public ClaimRequest forLastLife() {
        return new ClaimRequest(Claim.newKey(), workerId, queues, definitions, max, lease, true);
    }
}
