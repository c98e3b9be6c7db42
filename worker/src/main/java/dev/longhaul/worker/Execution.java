package dev.longhaul.worker;

import dev.longhaul.definition.JobContext;
import dev.longhaul.definition.JobDefinition;
import dev.longhaul.event.EventType;
import org.jspecify.annotations.Nullable;

/** What an executor is to run. */
public interface Execution {
    JobDefinition<?, ?> definition();

    /** JSON text. */
    String params();

    JobContext context();

    /** Adds an event of the executor's own to the job's; waits while too much is waiting to be stored. */
    void report(EventType type, String payload);

    /** The W3C trace context that the code belongs to, for what it starts or calls. */
    default @Nullable String traceparent() {
        return null;
    }

    /** For how many nanoseconds the job is ours unless that is renewed; Long.MAX_VALUE for one that is not stored. */
    long nanosLeft();
}
