package dev.longhaul.spi;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.event.EventType;
import dev.longhaul.json.Secrets;
import java.util.Collection;
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

    /** What nothing that is told of this execution may show. */
    default Secrets secrets() {
        return Secrets.NONE;
    }

    /** Adds to these. */
    default void hide(Collection<String> values) {}

    /** Calls {@code action} once when the worker begins to shut down; at once if it has. */
    default void onDraining(Runnable action) {}

    /** For how many nanoseconds the job is ours unless that is renewed; Long.MAX_VALUE for one that is not stored. */
    long nanosLeft();
}
