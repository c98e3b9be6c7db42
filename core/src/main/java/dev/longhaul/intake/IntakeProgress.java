package dev.longhaul.intake;

import dev.longhaul.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Capability of a store: remembers how far writers have stored the log, and which ids became aliases of other jobs. */
public interface IntakeProgress {
    /** How far a partition is stored: every record below {@code nextOffset} is. */
    record Stored(int partition, long nextOffset, Instant at) {}

    /** A job that was accepted while the store was unavailable, and found its idempotency key used by {@code first}. */
    record Alias(JobId id, JobId first) {}

    /**
     * Takes over partitions for a writer and returns the offset at which it continues; 0 for an unknown partition. From
     * now on {@link #stored} of any earlier writer returns false.
     */
    Map<Integer, Long> takeOver(String writer, Set<Integer> partitions);

    /**
     * Records that a partition is stored below its offset. Returns false, and changes nothing, if another
     * writer has taken the partition over.
     */
    boolean stored(String writer, Map<Integer, Long> nextOffsets);

    /** Remembers aliases. */
    void alias(List<Alias> aliases);

    /** The job that the id is an alias of. */
    Optional<JobId> aliasOf(JobId id);

    /** The progress of all partitions. */
    List<Stored> progress();
}
