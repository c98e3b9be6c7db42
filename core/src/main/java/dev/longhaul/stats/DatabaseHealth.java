package dev.longhaul.stats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Early signs of a slow database.
 *
 * @param oldestSnapshot age of the oldest snapshot that keeps dead rows from being cleaned up
 * @param snapshotHolder its holder: the application name of the session, the prepared transaction, or the replication
 * slot
 * @param deadRows dead rows among the live jobs
 * @param partitions daily partitions of finished jobs
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
