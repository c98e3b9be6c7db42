package dev.longhaul.intake;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.Store;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Capability of a store with an intake: reports which writes were accepted and are not stored yet. */
public interface Deferrals {
    /**
     * How far a partition is stored.
     *
     * @param end the offset after the partition's last record; null if the log cannot tell
     */
    record Partition(IntakeProgress.Stored stored, @Nullable Long end) {
        /** How many records are not stored yet; null if the log cannot tell. */
        public @Nullable Long waiting() {
            Long last = end;
            return last == null ? null : Math.max(0, last - stored.nextOffset());
        }
    }

    /**
     * The error for a job that the store does not contain: {@code unavailable} if it may be stored later, else
     * {@code not_found}.
     */
    static LonghaulException missing(Store store, JobId id) {
        return store.capability(Deferrals.class)
                .filter(deferrals -> deferrals.mayBeStoredLater(id))
                .map(later -> new LonghaulException(
                        ErrorCode.UNAVAILABLE, "job " + id + " may have been accepted and is not stored yet"))
                .orElseGet(() -> Refusal.notFound(id));
    }

    /**
     * Whether a job that the store does not contain may have been accepted: its partition is not drained, and its id is
     * newer than the last record that was stored.
     */
    boolean mayBeStoredLater(JobId id);

    /** The progress of all partitions that have had a writer, by partition. */
    List<Partition> partitions();
}
