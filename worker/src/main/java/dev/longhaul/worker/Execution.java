package dev.longhaul.worker;

import dev.longhaul.definition.JobContext;
import dev.longhaul.definition.JobDefinition;

/** What an executor is to run. */
public interface Execution {
    JobDefinition<?, ?> definition();

    /** JSON text. */
    String params();

    JobContext context();
}
