package dev.longhaul.catalog;

import dev.longhaul.job.DefinitionRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The definitions that somebody in the cluster runs or has declared, and the workers there are. */
public interface Catalog {
    /** After so long without a word from it a worker counts as lost. */
    Duration LOST_AFTER = Duration.ofSeconds(30);

    /** After so long a worker that is lost or gone is forgotten. */
    Duration FORGOTTEN_AFTER = Duration.ofHours(24);

    /** What a worker knows; what an operator has declared stays as it is. */
    void register(List<KnownDefinition> definitions);

    /** What an operator says, whatever a worker has registered or will register. */
    KnownDefinition declare(KnownDefinition definition);

    /** All of them, by key and version. */
    List<KnownDefinition> definitions();

    Optional<KnownDefinition> find(DefinitionRef ref);

    /** The highest version of a key. */
    Optional<KnownDefinition> latest(String key);

    /** A worker says that it lives; the first time it is added. */
    void seen(WorkerReport report);

    /** The worker has ended in an orderly way. */
    void gone(String workerId);

    /** The workers, those that were heard of last first. */
    List<KnownWorker> workers();
}
