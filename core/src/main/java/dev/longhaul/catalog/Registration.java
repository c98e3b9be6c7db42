package dev.longhaul.catalog;

import dev.longhaul.job.DefinitionRef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A registration whose content and permission depend on what the catalog holds; decided while nothing else can be registered. */
public interface Registration {
    DefinitionRef ref();

    /** What to store; throws PERMISSION_DENIED, and then nothing is stored. {@code versions} are all present versions of its key. */
    KnownDefinition decide(List<Present> versions);

    /**
     * A definition that is in the catalog.
     *
     * @param effective as it counts, with what an operator declared
     * @param registered as a worker registered it; null when only an operator declared it
     */
    record Present(KnownDefinition effective, @Nullable KnownDefinition registered) {}
}
