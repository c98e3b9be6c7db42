package dev.longhaul.server;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.definition.JsonSchema;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Hides what a definition's schemas mark as secret, in params and results. */
final class Secrets {
    private static final long FRESH = TimeUnit.SECONDS.toNanos(5);

    private final Catalog catalog;
    private final Map<DefinitionRef, Schemas> known = new ConcurrentHashMap<>();

    Secrets(Catalog catalog) {
        this.catalog = catalog;
    }

    private record Schemas(JsonSchema params, JsonSchema result, long readAt) {}

    @Nullable
    String params(Job job) {
        Schemas schemas = schemas(job.spec().definition());
        return schemas == null ? null : schemas.params.redacted(job.spec().params());
    }

    @Nullable
    String result(Job job) {
        String result = job.result();
        if (result == null) {
            return null;
        }
        Schemas schemas = schemas(job.spec().definition());
        return schemas == null ? null : schemas.result.redacted(result);
    }

    /** Null when nobody knows the definition any more: then nobody knows what is secret either. */
    private @Nullable Schemas schemas(DefinitionRef ref) {
        Schemas found = known.get(ref);
        if (found != null && System.nanoTime() - found.readAt < FRESH) {
            return found;
        }
        Schemas read = catalog.find(ref)
                .map(definition -> new Schemas(
                        JsonSchema.parse(definition.paramsSchema()),
                        JsonSchema.parse(definition.resultSchema()),
                        System.nanoTime()))
                .orElse(null);
        if (read != null) {
            known.put(ref, read);
        }
        return read;
    }
}
