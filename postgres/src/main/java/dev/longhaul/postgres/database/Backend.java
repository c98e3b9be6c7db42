package dev.longhaul.postgres.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.postgresql.PGConnection;

/**
 * The server process behind a connection. It outlives a broken connection while it executes the last request, or has
 * yet to start it: only after it has ended can that request have no further effect.
 */
public final class Backend {
    private static final NamedSql LIVES = NamedSql.load("upkeep/backend_lives");
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final long PAUSE_MILLIS = 5;
    private static final int UNKNOWN = 0;

    private final int pid;

    private Backend(int pid) {
        this.pid = pid;
    }

    public static Backend of(Connection connection) throws SQLException {
        boolean own = connection.isWrapperFor(PGConnection.class);
        return new Backend(own ? connection.unwrap(PGConnection.class).getBackendPID() : UNKNOWN);
    }

    /**
     * Waits for the process to end, but only for a short time: a server that has not noticed the broken connection
     * keeps the process, and a pooler in between reports process numbers of its own.
     */
    public void awaitEnd(Connection other) throws SQLException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (pid != UNKNOWN && lives(other) && System.nanoTime() < end) {
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean lives(Connection other) throws SQLException {
        try (Call call = LIVES.on(other)) {
            return call.set("pid", (Integer) pid).list(row -> row.flag("alive")).get(0);
        }
    }
}
