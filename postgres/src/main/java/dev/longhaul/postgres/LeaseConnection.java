package dev.longhaul.postgres;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A connection that only leases use, so that a pool emptied by other work cannot make their owners lose them. */
final class LeaseConnection implements AutoCloseable {
    private final DataSource dataSource;
    private @Nullable Connection connection;

    LeaseConnection(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Runs one statement; on a broken connection once more on a new one. */
    synchronized <T> T run(Database.Work<T> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                Connection open = connection;
                if (open == null) {
                    open = dataSource.getConnection();
                    open.setAutoCommit(true);
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

    @Override
    public synchronized void close() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                // Broken anyway.
            }
        }
    }
}
