package dev.longhaul.intake;

import dev.longhaul.job.JobId;
import java.util.List;
import java.util.Map;

/** The accepting end of a durable log of {@link IntakeRecord}s. Records of one job go to one partition, in order. */
public interface Intake extends AutoCloseable {
    /**
     * Appends records and returns their positions, in order, once all are durable. Throws {@link
     * dev.longhaul.error.LonghaulException} with code {@code unavailable} if the log cannot be reached or writers are
     * too far behind; then it is unknown whether the records were appended, and appending them again is safe.
     */
    List<IntakePosition> append(List<IntakeRecord> records);

    /** The partition of a job's records. */
    int partitionOf(JobId id);

    /**
     * The offset after the last record of each partition; empty if this log cannot tell. Then only the process that
     * appended a record knows that it is not stored yet.
     */
    default Map<Integer, Long> ends() {
        return Map.of();
    }

    @Override
    void close();
}
