package dev.longhaul.postgres.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections. While the database is unavailable, one caller at a time tries to connect, and concurrent callers
 * share the failure. Pools lengthen their retry interval as long as a caller waits, and reset it when none does, so
 * that work resumes soon after the database is available again.
 */
final class Connections {
    private static final long SHARED = TimeUnit.MILLISECONDS.toNanos(200);

    private final DataSource dataSource;
    private final ReentrantLock trying = new ReentrantLock();
    private volatile @Nullable Failure lastFailure;

    private record Failure(SQLException error, long at) {}

    Connections(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    Connection open() throws SQLException {
        if (lastFailure == null) {
            return connect();
        }
        trying.lock();
        try {
            Failure last = lastFailure;
            if (last != null && System.nanoTime() - last.at() < SHARED) {
                throw new SQLTransientConnectionException(
                        last.error().getMessage(), last.error().getSQLState(), last.error());
            }
            return connect();
        } finally {
            trying.unlock();
        }
    }

    private Connection connect() throws SQLException {
        try {
            Connection connection = dataSource.getConnection();
            lastFailure = null;
            return connection;
        } catch (SQLException e) {
            // An exhausted pool throws the same exception, but without a refused connection as its cause.
            if (Database.broken(e)
                    && (e.getCause() instanceof SQLException || !(e instanceof SQLTransientConnectionException))) {
                lastFailure = new Failure(e, System.nanoTime());
            }
            throw e;
        }
    }
}
