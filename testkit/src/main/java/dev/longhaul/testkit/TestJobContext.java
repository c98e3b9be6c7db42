package dev.longhaul.testkit;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobLog;
import dev.longhaul.JobStoppedException;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.LogLines;
import dev.longhaul.internal.log.LineLog;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Progress;
import dev.longhaul.json.Codec;
import dev.longhaul.json.Json;
import dev.longhaul.json.LogData;
import dev.longhaul.json.TypeRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * A context for unit tests of a handler, without a store or a worker. It records the handler's reports. The test can request a
 * cancel or a drain. Params and result are converted to JSON and back, as in a real run:
 *
 * <pre>{@code
 * var context = TestJobContext.of(IMPORT);
 * Imported result = context.call(IMPORT, new Import("https://example.org/rows.csv"));
 * assertThat(context.logged()).containsExactly("info: 42 rows");
 * }</pre>
 */
public final class TestJobContext implements JobContext {
    private final JobDefinition<?, ?> definition;
    private final JobId id = JobId.next();
    private final List<Progress> progress = new ArrayList<>();
    private final List<String> logged = new ArrayList<>();
    private final List<Emitted> emitted = new ArrayList<>();
    private final Map<String, String> steps = new LinkedHashMap<>();
    private final List<Runnable> onCancel = new ArrayList<>();
    private int attempt = 1;
    private Instant deadline;
    private @Nullable String correlationId;
    private @Nullable DataSource dataSource;
    private boolean cancelled;
    private boolean draining;

    /** An event emitted by the handler; the payload is JSON text. */
    public record Emitted(String name, String payload) {}

    private TestJobContext(JobDefinition<?, ?> definition) {
        this.definition = definition;
        this.deadline = Instant.now().plus(definition.timeout());
    }

    /** Returns a context of the first attempt of a job. */
    public static TestJobContext of(JobDefinition<?, ?> definition) {
        return new TestJobContext(definition);
    }

    // Settings of the test

    public synchronized TestJobContext withAttempt(int attempt) {
        this.attempt = attempt;
        return this;
    }

    /** Sets the deadline. Default: the creation of this context plus the definition's timeout. */
    public synchronized TestJobContext withDeadline(Instant deadline) {
        this.deadline = deadline;
        return this;
    }

    public synchronized TestJobContext withCorrelationId(String correlationId) {
        this.correlationId = correlationId;
        return this;
    }

    public synchronized TestJobContext withDataSource(DataSource dataSource) {
        this.dataSource = dataSource;
        return this;
    }

    /** Adds a step that an earlier run has finished, with its result. */
    public synchronized TestJobContext withStep(String name, @Nullable Object result) {
        steps.put(name, Json.write(result));
        return this;
    }

    /** Requests a cancel: {@link #cancelled()} returns true, and the cancel callbacks run in the calling thread. */
    public void cancel() {
        List<Runnable> actions;
        synchronized (this) {
            cancelled = true;
            actions = List.copyOf(onCancel);
            onCancel.clear();
        }
        actions.forEach(Runnable::run);
    }

    /** Makes {@link #draining()} return true, as if the worker were shutting down. */
    public synchronized void drain() {
        draining = true;
    }

    /** Calls the handler. Converts params and result to JSON and back, as for a stored job. */
    @SuppressWarnings("NullAway") // Params are null only if their type is Void.
    public <P, R> @Nullable R call(JobDefinition<P, R> called, @Nullable P params) throws Exception {
        P read = called.params().read(called.params().write(params));
        R returned = called.handler().run(read, this);
        return called.result().read(called.result().write(returned));
    }

    // Reports of the handler

    /** Returns all progress reports, in order. */
    public synchronized List<Progress> progress() {
        return List.copyOf(progress);
    }

    /** Returns all lines of the job's log as {@code level: message}, followed by their data as {@code key=value}. */
    public synchronized List<String> logged() {
        return List.copyOf(logged);
    }

    public synchronized List<Emitted> emitted() {
        return List.copyOf(emitted);
    }

    /** Returns the names of the finished steps, in order. */
    public synchronized List<String> steps() {
        return List.copyOf(steps.keySet());
    }

    // The context of the handler

    @Override
    public JobId jobId() {
        return id;
    }

    @Override
    public DefinitionRef definition() {
        return definition.ref();
    }

    @Override
    public int run() {
        return attempt();
    }

    @Override
    public synchronized int attempt() {
        return attempt;
    }

    @Override
    public synchronized @Nullable String correlationId() {
        return correlationId;
    }

    @Override
    public synchronized Instant deadline() {
        return deadline;
    }

    @Override
    public synchronized void progress(int percent, @Nullable String message) {
        progress.add(new Progress(percent, message));
    }

    @Override
    public JobLog log() {
        return new LineLog(this::line);
    }

    @Override
    public synchronized void emit(String name, @Nullable Object payload) {
        emitted.add(new Emitted(name, Json.write(payload)));
    }

    @Override
    public synchronized boolean cancelled() {
        return cancelled;
    }

    @Override
    public void throwIfCancelled() {
        if (cancelled()) {
            throw new JobStoppedException("a cancel was requested");
        }
    }

    @Override
    public void onCancel(Runnable action) {
        synchronized (this) {
            if (!cancelled) {
                onCancel.add(action);
                return;
            }
        }
        action.run();
    }

    @Override
    public synchronized boolean draining() {
        return draining;
    }

    @Override
    public synchronized DataSource dataSource() {
        if (dataSource == null) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION, "dataSource: none (expected: TestJobContext.withDataSource)");
        }
        return dataSource;
    }

    @Override
    @SuppressWarnings("NullAway") // A step's result is null only if its code returns null.
    public <T extends @Nullable Object> T step(String name, TypeRef<T> type, Callable<T> work) throws Exception {
        String stored;
        synchronized (this) {
            stored = steps.get(name);
        }
        if (stored == null) {
            throwIfCancelled();
            stored = Json.write(work.call());
            synchronized (this) {
                steps.put(name, stored);
            }
        }
        return Codec.of(type).read(stored);
    }

    private synchronized void line(Level level, String line, LogData data) {
        String fields =
                data.isEmpty() ? "" : LogLines.fields(Objects.requireNonNull(Json.read(data.json(), Map.class)));
        logged.add(level.name().toLowerCase(Locale.ROOT) + ": " + line + fields);
    }
}
