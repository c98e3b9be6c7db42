package dev.longhaul.catalog;

import dev.longhaul.job.DefinitionRef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A registration whose content and permission depend on the catalog; decided while no other registration can run. */
public interface Registration {
    DefinitionRef ref();

    /**
     * Returns the definition to store; throws PERMISSION_DENIED, and then nothing is stored. {@code versions} are all
     * versions of its key in the catalog.
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
