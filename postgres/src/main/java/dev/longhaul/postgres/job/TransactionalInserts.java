package dev.longhaul.postgres.job;

import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.Inserted;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/** A store that can insert jobs in a transaction of the caller; see {@link dev.longhaul.spi.Store#capability}. */
public interface TransactionalInserts {
    /**
     * Stores jobs in the caller's own transaction: they exist once it commits. This method neither commits nor retries,
     * and changes no settings of the connection; an invalid spec throws before anything is sent. Workers are signalled
     * twice shortly after this call; jobs committed later than that are found by the workers' next poll.
     */
    List<Inserted> insert(Connection connection, List<JobSpec> specs) throws SQLException;

    /**
     * As {@link #insert(Connection, List)}, for a caller that knows when its transaction commits: workers and listeners
     * are notified then, and not at all after a rollback.
     *
     * @param afterCommit takes an action to run once, right after the commit
     */
    List<Inserted> insert(Connection connection, List<JobSpec> specs, Consumer<Runnable> afterCommit)
            throws SQLException;
}
