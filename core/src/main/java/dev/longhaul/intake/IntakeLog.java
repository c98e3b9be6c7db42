package dev.longhaul.intake;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The reading end of the log, for one writer. Several writers share the partitions. Used by one thread. */
public interface IntakeLog extends AutoCloseable {
    /**
     * A record as it was read.
     *
     * @param record null if the bytes are not a record that this version understands; see {@code raw}
     */
    @SuppressWarnings("ArrayRecordComponent") // Entries are not compared.
    record Entry(
            IntakePosition position,
            Instant appendedAt,
            @Nullable IntakeRecord record,
            byte[] raw) {}

    /** Notified, in the thread of {@link #poll}, when this writer gets or loses partitions. */
    interface Assignment {
        /**
         * Returns the offset at which to start reading each partition: the store's progress. Throws {@code unavailable}
         * while the store is; the log then calls it again before it reads these partitions.
         */
        Map<Integer, Long> assigned(Set<Integer> partitions);

        void lost(Set<Integer> partitions);
    }

    /**
     * Waits for the next records, in order within each partition; empty after the timeout. Membership in the group of
     * writers ends unless this is called often: while entries cannot be stored, call {@link #keepAlive}.
     */
    List<Entry> poll(Duration timeout);

    /** Keeps this writer's partitions without reading. */
    void keepAlive();

    /** Records for operators how far this writer has stored. The store's progress decides, not this. */
    void commit(Map<Integer, Long> nextOffsets);

    /** Moves a rejected entry aside with the reason; returns once that is durable. */
    void park(Entry entry, String reason);

    @Override
    void close();
}
