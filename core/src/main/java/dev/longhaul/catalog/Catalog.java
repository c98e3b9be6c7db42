package dev.longhaul.catalog;

import dev.longhaul.job.DefinitionRef;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The definitions that workers run or operators have declared, and the workers. A change of a definition sets the
 * concurrency limit of its key in the same transaction: the limit of the key's highest version applies, and none when
 * no version is left.
 */
public interface Catalog {
    /** A worker without a heartbeat for this long counts as lost. */
    Duration LOST_AFTER = Duration.ofSeconds(30);

    /** A lost or stopped worker is forgotten after this time. */
    Duration FORGOTTEN_AFTER = Duration.ofHours(24);

    /**
     * Stores the definitions of this process's code, which makes the code their owner. Values that an operator has
     * declared stay in effect.
     */
    void register(List<KnownDefinition> definitions);

    /** Stores all registrations, or none if one is refused. Returns the definitions that changed. */
    List<KnownDefinition> decide(List<Registration> registrations);

    /**
     * Sets the named fields of a definition. A named field that is null in {@code change} is reset to its registered
     * value.
     */
    KnownDefinition declare(Declaration change, Set<Declaration.Field> named, String by);

    /** Sets all fields of a definition. */
    default KnownDefinition declare(KnownDefinition definition) {
        String by = definition.declaredBy();
        return declare(Declaration.of(definition), EnumSet.allOf(Declaration.Field.class), by == null ? "" : by);
    }

    /**
     * Removes a definition with its declared and registered values; returns false if it does not exist. Throws
     * FAILED_PRECONDITION while its jobs are held, waiting or running, and while active workers report it.
     */
    boolean delete(DefinitionRef ref);

    /** All definitions, by key and version. */
    List<KnownDefinition> definitions();

    Optional<KnownDefinition> find(DefinitionRef ref);

    /** The highest version of a key. */
    Optional<KnownDefinition> latest(String key);

    /** Sets whether jobs of that definition have hooks. Applies to jobs that end from now on. */
    void hooks(String definitionKey, boolean any);

    /** Stores a worker's heartbeat; the first one adds the worker. */
    void seen(WorkerReport report);

    /** Records that the worker has shut down. */
    void gone(String workerId);

    /** The workers, ordered by host and id: the order does not change with their heartbeats. */
    List<KnownWorker> workers();
}
