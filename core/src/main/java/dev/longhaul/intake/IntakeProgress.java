package dev.longhaul.intake;

import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Capability of a store: stores jobs of the log, and remembers how far writers have stored it and which ids became
 * aliases of other jobs.
 */
public interface IntakeProgress {
    /**
     * How far a partition is stored: every record below {@code nextOffset} is.
     *
     * @param at when the last of these records was appended; the epoch if there is none
     */
    record Stored(int partition, long nextOffset, Instant at) {}

    /** A job that was accepted while the store was unavailable, and found its idempotency key used by {@code first}. */
    record Alias(JobId id, JobId first) {}

    /**
     * Takes over partitions for a writer and returns the offset at which it continues; 0 for an unknown partition. From
     * now on {@link #stored} of any earlier writer returns false.
     */
    Map<Integer, Long> takeOver(String writer, Set<Integer> partitions);

    /**
     * Stores jobs like {@link dev.longhaul.spi.JobStore#insert}, but accepts ids up to {@link
     * dev.longhaul.job.Limits#OLDEST_DEFERRED} old. The creation time of a job whose id is more than a day old is the
     * time in its id. Returns the id of each spec's job: its own, or that of the first job with its idempotency key.
     */
    List<JobId> insert(List<JobSpec> specs);

    /**
     * Records how far partitions are stored. Returns false, and changes nothing, if another writer has taken one of
     * them over.
     */
    boolean stored(String writer, List<Stored> partitions);

    /** Remembers aliases, until their first job is removed. */
    void alias(List<Alias> aliases);

    /** The job that the id is an alias of. */
    Optional<JobId> aliasOf(JobId id);

    /** The progress of all partitions, by partition. */
    List<Stored> progress();
}
