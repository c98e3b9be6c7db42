package dev.longhaul;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RunTime;
import dev.longhaul.json.TypeRef;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What running code knows about its job, and how it reports. Usable from every thread the code starts. */
public interface JobContext {
    /** The job; null when it runs without being stored. */
    @Nullable
    JobId jobId();

    DefinitionRef definition();

    /** The number of this execution; rises with every one. */
    int run();

    /** Which of the job's attempts this is, from 1. */
    int attempt();

    @Nullable
    String correlationId();

    /** The W3C trace context of this run, for what the code calls; null when there is none. Commands get it as {@code TRACEPARENT}. */
    default @Nullable String traceparent() {
        return null;
    }

    /** When this attempt times out, by this machine's clock. */
    Instant deadline();

    /**
     * Names this run for systems that the code writes to: {@code job id/run}. They can refuse whoever comes with a smaller run
     * number than they have seen for the job, so that a run which was given up as lost does no harm when it wakes up.
     */
    default String runToken() {
        return jobId() + "/" + run();
    }

    /** Tells how far the job has come, 0 to 100. Cheap: calls are gathered, the last one is always stored. */
    void progress(int percent, @Nullable String message);

    default void progress(int percent) {
        progress(percent, null);
    }

    /** Writes to the job's own log. */
    JobLog log();

    /** Stores an event of the job's own kind, with any payload that can be written as JSON. */
    void emit(String name, @Nullable Object payload);

    /** Whether the code should end: a cancel was requested, the time is up, or the job no longer belongs to this run. */
    boolean cancelled();

    /** Throws {@link JobStoppedException} when {@link #cancelled()}. */
    void throwIfCancelled();

    /** Calls {@code action} once when the code should end; at once if that is so already. */
    void onCancel(Runnable action);

    /** Whether the worker is shutting down: a good moment to save what is done and {@link #snooze}. */
    boolean draining();

    /** The database of the worker, for the code's own use. */
    DataSource dataSource();

    /**
     * Does a named piece of work once. Its result is stored when it has finished; later runs of the job, on any machine, get the
     * stored result instead of doing it again.
     */
    default <T extends @Nullable Object> T step(String name, Class<T> type, Callable<T> work) throws Exception {
        return step(name, TypeRef.of(type), work);
    }

    /** As {@link #step(String, Class, Callable)}, for a result with type arguments: {@code new TypeRef<List<Order>>() {}}. */
    <T extends @Nullable Object> T step(String name, TypeRef<T> type, Callable<T> work) throws Exception;

    /** To be thrown: ends this run and starts the job again after a while. The attempt is not spent. */
    default RuntimeException snooze(Duration delay) {
        return new SnoozeException(RunTime.after(delay));
    }

    /** To be thrown: fails the job for good, whatever attempts are left. */
    default RuntimeException giveUp(String reason) {
        return new GiveUpException(reason, null);
    }
}
