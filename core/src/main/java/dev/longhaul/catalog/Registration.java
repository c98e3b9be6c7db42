package dev.longhaul.catalog;

import dev.longhaul.job.DefinitionRef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A registration of a definition. The catalog decides its content and permission while no other registration can run,
 * because both depend on the stored definitions.
 */
public interface Registration {
    DefinitionRef ref();

    /**
     * Returns the definition to store. Throws PERMISSION_DENIED if the worker may not register it; then nothing is
     * stored.
     *
     * @param versions all versions of the definition's key in the catalog
     */
    KnownDefinition decide(List<Present> versions);

    /**
     * A definition that is in the catalog.
     *
     * @param effective with the operator's declarations applied
     * @param registered as a worker registered it; null when only an operator declared it
     */
    record Present(KnownDefinition effective, @Nullable KnownDefinition registered) {}
}
