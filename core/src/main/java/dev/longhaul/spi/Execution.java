package dev.longhaul.spi;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.Step;
import dev.longhaul.json.Secrets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The run that an executor executes. */
public interface Execution {
    JobDefinition<?, ?> definition();

    /** The params as JSON text. */
    String params();

    JobContext context();

    /** The claim of the run; null for a job that is not stored. */
    default @Nullable Claim claim() {
        return null;
    }

    /** The job as it was claimed; null for a job that is not stored. */
    default @Nullable Job job() {
        return null;
    }

    /** How many workers executed this run before this one: 0 unless it was taken over from another worker. */
    default int takeovers() {
        return 0;
    }

    /** The steps that earlier runs of the job have finished. */
    default List<Step> steps() {
        return List.of();
    }

    /** Whether the run must stop because its claim is lost: its job belongs to another run now, or has ended. */
    default boolean lost() {
        return false;
    }

    /**
     * Requests a longer lease immediately. Call it once the code runs outside this worker: if this worker ends, another
     * worker needs time to take the run over.
     */
    default void lastsFor(Duration lease) {}

    /** Calls {@code action} with true once the outcome is stored, or with false once it can no longer be stored. */
    default void onSettled(Consumer<Boolean> action) {}

    /**
     * Calls {@code action} with true once everything that was reported so far is stored, or with false once it can no
     * longer be stored.
     */
    default void onStored(Consumer<Boolean> action) {}

    /** Adds an event of the executor to the job's events; blocks while too many events wait to be stored. */
    void report(EventType type, String payload);

    /**
     * Continues the event numbers of another process that has reported events for this run ({@code
     * WorkerBackend.executeFor}). Call it before reporting further events: the store ignores events whose numbers are
     * not above the last one.
     */
    default void continueEvents() {}

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
