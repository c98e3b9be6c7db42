package dev.longhaul.spring.autoconfigure;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.postgres.job.CallerTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transaction of the calling thread on one DataSource, of whichever transaction manager has bound its connection. */
final class SpringTransaction implements CallerTransaction {
    private final DataSource dataSource;

    SpringTransaction(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public @Nullable Connection connection() {
        boolean active = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
        // A transaction on another database does not bind a connection of this one.
        return active && TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder
                ? bound()
                : null;
    }

    private @Nullable Connection bound() {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            // In a transaction of another database, Spring also binds the connections of this one, in auto-commit mode.
            return connection.getAutoCommit() ? null : connection;
        } catch (SQLException e) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable: " + e.getMessage(), e);
        } finally {
            // It stays bound, and open, until the transaction ends.
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    @Override
    public void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }
}
