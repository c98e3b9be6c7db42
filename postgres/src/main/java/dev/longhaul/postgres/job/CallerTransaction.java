package dev.longhaul.postgres.job;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The transaction of the calling thread, as a framework knows it. With {@code Longhaul.builder().joinTransactions(…)}, jobs
 * are stored in it ({@link TransactionalInserts}): they exist once it commits.
 */
public interface CallerTransaction {
    /** No transaction, ever. */
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
     * The connection of the calling thread's transaction on Longhaul's database, not in auto-commit mode; null when there is
     * no such transaction. Longhaul neither commits nor closes it.
     */
    @Nullable
    Connection connection();

    /** Runs the action after the calling thread's transaction has committed, and not at all if it rolls back. */
    void afterCommit(Runnable action);
}
