package dev.longhaul.spi;

import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.WorkerReport;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Registers workers and the definitions whose code they have. A work source that lists neither returns {@link #NONE}.
 */
public interface WorkerDirectory {
    /** Lists neither workers nor definitions. */
    WorkerDirectory NONE = new WorkerDirectory() {
        @Override
        public void register(List<KnownDefinition> definitions, Set<String> hooked) {}

        @Override
        public void seen(WorkerReport report) {}

        @Override
        public Map<String, Instant> heartbeats() {
            return Map.of();
        }

        @Override
        public void gone(String workerId) {}
    };

    /**
     * Registers the definitions of a worker's code, with their concurrency limits. Limits that an operator has
     * declared stay in effect.
     *
     * @param hooked keys of definitions with hooks: the store keeps the hooks of their jobs that end from now on. This
     * method never removes a key, because another version or another process may still have hooks for it
     */
    void register(List<KnownDefinition> definitions, Set<String> hooked);

    /** Stores a worker's heartbeat; the first one adds the worker. */
    void seen(WorkerReport report);

    /** The ids of workers that have not shut down, each with its last heartbeat; empty if this directory lists none. */
    Map<String, Instant> heartbeats();

    /** Records that the worker has shut down. */
    void gone(String workerId);
}
