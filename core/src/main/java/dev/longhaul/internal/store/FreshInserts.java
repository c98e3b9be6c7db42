package dev.longhaul.internal.store;

import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.Inserted;
import java.util.List;

/**
 * Capability of a store with a faster insert for specs that were never sent before; see
 * {@link dev.longhaul.spi.Store#capability}.
 */
public interface FreshInserts {
    /**
     * Stores jobs like {@link dev.longhaul.spi.JobStore#insert}. The store need not check whether the specs' ids were
     * used before.
     */
    List<Inserted> insertFresh(List<JobSpec> specs);
}
