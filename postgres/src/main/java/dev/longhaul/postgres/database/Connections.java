package dev.longhaul.postgres.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where connections come from. While the database is away one caller at a time tries to reach it, and those who come meanwhile
 * share its answer: pools try ever more rarely as long as somebody waits, and begin anew once nobody does, so that work goes on
 * soon after the database is back.
 */
final class Connections {
    private static final long SHARED = TimeUnit.MILLISECONDS.toNanos(200);

    private final DataSource dataSource;
    private final ReentrantLock trying = new ReentrantLock();
    private volatile @Nullable Failure away;

    private record Failure(SQLException error, long at) {}

    Connections(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    Connection open() throws SQLException {
        if (away == null) {
            return connect();
        }
        trying.lock();
        try {
            Failure last = away;
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
            away = null;
            return connection;
        } catch (SQLException e) {
            // A pool that is merely empty says so too, but then no connection was refused.
            if (Database.broken(e)
                    && (e.getCause() instanceof SQLException || !(e instanceof SQLTransientConnectionException))) {
                away = new Failure(e, System.nanoTime());
            }
            throw e;
        }
    }
}
