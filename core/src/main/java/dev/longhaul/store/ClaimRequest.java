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
 */
public record ClaimRequest(
        UUID batch,
        String workerId,
        List<String> queues,
        @Nullable Set<DefinitionRef> definitions,
        int max,
        Duration lease) {

    public static final int LARGEST_BATCH = 5000;

    public ClaimRequest {
        queues = List.copyOf(queues);
        definitions = definitions == null ? null : Set.copyOf(definitions);
        new Problems()
                .require(
                        !workerId.isEmpty() && workerId.length() <= Limits.NAME && Text.storable(workerId),
                        "workerId",
                        workerId,
                        "1 to " + Limits.NAME + " characters, no NUL")
                .require(queues.stream().allMatch(Names::valid), "queues", queues, Names.RULE)
                .require(!queues.isEmpty(), "queues", queues, "at least one")
                .require(max >= 1 && max <= LARGEST_BATCH, "max", max, "1 to " + LARGEST_BATCH)
                .require(lease.compareTo(Duration.ofMillis(100)) >= 0, "lease", lease, ">= 100 ms")
                .throwIfAny();
    }

    /** A request with a fresh random key. */
    public static ClaimRequest of(
            String workerId, List<String> queues, @Nullable Set<DefinitionRef> definitions, int max, Duration lease) {
        return new ClaimRequest(Claim.newKey(), workerId, queues, definitions, max, lease);
    }
}
