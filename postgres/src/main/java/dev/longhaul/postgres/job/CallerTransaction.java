package dev.longhaul.postgres.job;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Access to the transaction of the calling thread that a framework manages. With
 * {@code Longhaul.builder().joinTransactions(…)}, jobs are stored in that transaction: they exist once it commits.
 */
public interface CallerTransaction {
    /** Never returns a transaction. */
    CallerTransaction NONE = new CallerTransaction() {
        @Override
        public @Nullable Connection connection() {
            return null;
        }

        @Override
        public void afterCommit(Runnable action) {
            throw new IllegalStateException("no transaction");
        }
    };

    /**
     * Returns the connection of the calling thread's transaction on Longhaul's database, not in auto-commit mode; null
     * if there is no such transaction. Longhaul neither commits nor closes the connection.
     */
    @Nullable
    Connection connection();

    /**
     * Runs the action after the calling thread's transaction has committed. Does not run it if the transaction rolls
     * back.
     */
    void afterCommit(Runnable action);
}
