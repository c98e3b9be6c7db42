package dev.longhaul.api.rest;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.json.JsonSchema;
import java.time.Instant;
import java.util.List;

/**
 * The definition of jobs that are enqueued without a definition. It accepts any params and any result; the worker that
 * dequeues a job interprets them.
 */
public final class BuiltIn {
    public static final DefinitionRef TASK = new DefinitionRef("task", 1);
    public static final String ANYTHING = JsonSchema.ANYTHING.text();

    private BuiltIn() {}

    public static void registerIn(Catalog catalog) {
        var defaults = new KnownDefinition.Defaults(
                JobSpec.DEFAULT_QUEUE, JobSpec.DEFAULT_MAX_ATTEMPTS, JobSpec.DEFAULT_TIMEOUT, 0);
        catalog.register(List.of(new KnownDefinition(TASK, ANYTHING, ANYTHING, defaults, null, Instant.EPOCH)));
    }
}
