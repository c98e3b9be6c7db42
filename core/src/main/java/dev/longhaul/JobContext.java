package dev.longhaul;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RunAt;
import dev.longhaul.json.TypeRef;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The context of a run: facts about the job, and ways to report. Usable from every thread that the code starts. */
public interface JobContext {
    /** The id of the job; null when the job runs without being stored. */
    @Nullable
    JobId jobId();

    DefinitionRef definition();

    /** The number of this run; rises with every run of the job. */
    int run();

    /** The number of this attempt, from 1. */
    int attempt();

    @Nullable
    String correlationId();

    /**
     * The W3C trace context of this run, to pass to called services; null when there is none. Commands get it as
     * {@code TRACEPARENT}.
     */
    default @Nullable String traceparent() {
        return null;
    }

    /** When this attempt times out, by this machine's clock. */
    Instant deadline();

    /**
     * Fencing token of this run, for systems that the code writes to: {@code job id/run}. They can reject writes with
     * a smaller run number than the largest they have seen for the job, so that a run whose lease expired does no harm
     * when it resumes.
     */
    default String runToken() {
        return jobId() + "/" + run();
    }

    /** Reports progress, 0 to 100. Cheap: calls are batched, and the last one is always stored. */
    void progress(int percent, @Nullable String message);

    default void progress(int percent) {
        progress(percent, null);
    }

    /** Writes to the job's own log. */
    JobLog log();

    /** Stores an event of the job's own kind, with any payload that can be written as JSON. */
    void emit(String name, @Nullable Object payload);

    /**
     * Whether the code should stop: a cancel was requested, the timeout has passed, or the job no longer belongs to
     * this run.
     */
    boolean cancelled();

    /** Throws {@link JobStoppedException} when {@link #cancelled()}. */
    void throwIfCancelled();

    /** Calls {@code action} once when the code should stop; immediately if it already should. */
    void onCancel(Runnable action);

    /** Whether the worker is shutting down: a good moment to save finished work and {@link #snooze}. */
    boolean draining();

    /** The worker's database, for use by the job's code. */
    DataSource dataSource();

    /**
     * Runs a named step once. Its result is stored when it finishes; later runs of the job, on any machine, return the
     * stored result instead of running it again.
     */
    default <T extends @Nullable Object> T step(String name, Class<T> type, Callable<T> work) throws Exception {
        return step(name, TypeRef.of(type), work);
    }

    /**
     * As {@link #step(String, Class, Callable)}, for a result with type arguments:
     * {@code new TypeRef<List<Order>>() {}}.
     */
    <T extends @Nullable Object> T step(String name, TypeRef<T> type, Callable<T> work) throws Exception;

    /**
     * Returns an exception that the code must throw: it ends this run and starts the job again after the delay. The
     * attempt is not spent.
     */
    default RuntimeException snooze(Duration delay) {
        return new SnoozeException(RunAt.after(delay));
    }

    /** Returns an exception that the code must throw: it fails the job permanently, however many attempts are left. */
    default RuntimeException giveUp(String reason) {
        return new GiveUpException(reason, null);
    }
}
