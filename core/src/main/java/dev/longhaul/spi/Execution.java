package dev.longhaul.spi;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.event.EventType;
import dev.longhaul.json.Secrets;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The run that an executor executes. */
public interface Execution {
    JobDefinition<?, ?> definition();

    /** JSON text. */
    String params();

    JobContext context();

    /** Adds an event of the executor to the job's events; blocks while too many events wait to be stored. */
    void report(EventType type, String payload);

    /** The W3C trace context of the run, for processes and services that it starts or calls. */
    default @Nullable String traceparent() {
        return null;
    }

    /** The secrets that no log line, event or result of this execution may show. */
    default Secrets secrets() {
        return Secrets.NONE;
    }

    /** Adds to the secrets. */
    default void hide(Collection<String> values) {}

    /** Calls {@code action} once when the worker begins to shut down; immediately if it already has. */
    default void onDraining(Runnable action) {}

    /** Nanoseconds until the lease expires unless it is renewed; Long.MAX_VALUE for a job that is not stored. */
    long nanosLeft();
}
