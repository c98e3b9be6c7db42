package dev.longhaul.spi;

import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.WorkerReport;
import java.util.List;
import java.util.Set;

/** Where workers register the definitions whose code they have and, in a source that lists its workers, themselves. */
public interface WorkerDirectory {
    /**
     * Registers the definitions of a worker's code, with their concurrency limits. Limits that an operator has
     * declared stay in effect.
     *
     * @param hooked the keys whose jobs have hooks; jobs that end from now on then get them. Never removed here:
     * another version, or another process, may still have some
     */
    void register(List<KnownDefinition> definitions, Set<String> hooked);

    /** Stores a worker's heartbeat; the first one adds the worker. */
    default void seen(WorkerReport report) {}

    /** Records that the worker has shut down. */
    default void gone(String workerId) {}
}
