package dev.longhaul.stats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What slows a database down before anybody notices.
 *
 * @param oldestSnapshot how long somebody has kept dead rows from being cleaned up
 * @param snapshotHolder who: the name that the session gave itself, of the prepared transaction, or of the replication slot
 * @param deadRows dead rows among the live jobs
 * @param partitions days that finished jobs are kept of
 */
public record DatabaseHealth(
        String version,
        Duration oldestSnapshot,
        @Nullable String snapshotHolder,
        long liveBytes,
        long deadRows,
        long finishedBytes,
        int partitions,
        int connections,
        int maxConnections) {}
