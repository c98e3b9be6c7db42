package dev.longhaul.postgres.database;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that only leases use, so that a pool emptied by other work cannot make their owners lose them. */
public final class LeaseConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseConnection.class);
    /** A network that goes silent must not hold up renewals for longer than a lease can stand. */
    private static final int NETWORK_TIMEOUT_MILLIS = 4000;

    private final Connections connections;
    private @Nullable Connection connection;

    public LeaseConnection(Connections connections) {
        this.connections = connections;
    }

    /** Runs one statement; on a broken connection once more on a new one. */
    public synchronized <T> T run(Database.Work<T> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                Connection open = connection;
                if (open == null) {
                    open = connections.open();
                    open.setAutoCommit(true);
                    open.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
                    connection = open;
                }
                return work.on(open);
            } catch (SQLException e) {
                close();
                boolean retry = Database.broken(e) || Database.rolledBack(e);
                if (!retry || attempt == 2) {
                    throw new LonghaulException(
                            retry ? ErrorCode.UNAVAILABLE : ErrorCode.INTERNAL, "leases: " + e.getMessage(), e);
                }
            }
        }
    }

    /** Takes the connection now, while the pool has one, and not when the first lease is about to lapse. */
    public void open() {
        run(connection -> connection.isValid(NETWORK_TIMEOUT_MILLIS / 1000));
    }

    @Override
    public synchronized void close() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try (open) {
                open.setNetworkTimeout(Runnable::run, 0);
            } catch (SQLException e) {
                LOG.debug("a connection for leases was broken", e);
            }
        }
    }
}
