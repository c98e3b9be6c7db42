package dev.longhaul.postgres.job;

import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.Inserted;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A store that can insert jobs in a transaction of the caller; see {@link dev.longhaul.spi.Store#capability}. */
public interface TransactionalInserts {
    /**
     * Stores jobs in the caller's own transaction: they exist if and when it commits. Nothing is committed, retried or
     * changed about the connection here; a bad spec throws before anything is sent. Workers are notified a moment after this
     * call, twice; jobs that are committed later than that are found by their next poll.
     */
    List<Inserted> insert(Connection connection, List<JobSpec> specs) throws SQLException;
}
