package dev.longhaul.postgres.database;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Remembers for a while that the database refused a write, for example because the disk is full. A successful write
 * does not clear it: a full disk refuses inserts while updates still fit into their pages. The record expires after 15
 * seconds; later writes then show whether the database accepts writes again.
 */
public final class WriteRefusals {
    private static final long COUNT_FOR = Duration.ofSeconds(15).toNanos();

    /** Disk full, read-only transaction, I/O error. */
    private static final Set<String> STATES = Set.of("53100", "25006", "58030");

    private volatile @Nullable Refusal last;

    private record Refusal(String message, long nanos) {}

    void note(SQLException failure) {
        String state = failure.getSQLState();
        if (state != null && STATES.contains(state)) {
            last = new Refusal(String.valueOf(failure.getMessage()), System.nanoTime());
        }
    }

    /** The message of a refusal within the last 15 seconds; null if there was none. */
    public @Nullable String recent() {
        Refusal refusal = last;
        return refusal == null || System.nanoTime() - refusal.nanos > COUNT_FOR ? null : refusal.message;
    }
}
