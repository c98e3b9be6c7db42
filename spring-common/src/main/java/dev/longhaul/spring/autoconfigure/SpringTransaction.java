package dev.longhaul.spring.autoconfigure;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.postgres.job.CallerTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transaction of the calling thread on one DataSource, of whichever transaction manager has bound its connection. */
final class SpringTransaction implements CallerTransaction {
    private final DataSource dataSource;
    /** The connections whose transaction has ended: callbacks after the commit still find them bound. */
    private final Set<Object> ended = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    SpringTransaction(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public @Nullable Connection connection() {
        boolean active = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
        // A transaction on another database does not bind a connection of this one.
        return active
                        && TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                        && !ended.contains(holder)
                ? bound()
                : null;
    }

    /** To be notified by all transaction managers. Spring offers no other way to know that the commit is over. */
    TransactionExecutionListener listener() {
        return new TransactionExecutionListener() {
            @Override
            public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
                if (failure == null && TransactionSynchronizationManager.isSynchronizationActive()) {
                    TransactionSynchronizationManager.registerSynchronization(new AfterCommit());
                }
            }

            @Override
            public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
                change(ended::remove);
            }

            @Override
            public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
                change(ended::remove);
            }
        };
    }

    /** The first callback after the commit. Before the commit, JPA may still write, and its listeners may enqueue jobs. */
    private final class AfterCommit implements TransactionSynchronization {
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            change(ended::add);
        }
    }

    private void change(Consumer<Object> change) {
        Object bound = TransactionSynchronizationManager.getResource(dataSource);
        if (bound != null) {
            change.accept(bound);
        }
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
