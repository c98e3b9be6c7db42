package dev.longhaul.engine.run;

import dev.longhaul.JobContext;
import dev.longhaul.JobLog;
import dev.longhaul.JobStoppedException;
import dev.longhaul.engine.Completions;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.log.LineLog;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Step;
import dev.longhaul.json.Codec;
import dev.longhaul.json.Json;
import dev.longhaul.json.LogData;
import dev.longhaul.json.TypeRef;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** The context of a stored job's run. Its reports are gathered in {@link Report} and stored by {@link Completions}. */
public final class RunContext implements JobContext {
    private static final Logger LOG = LoggerFactory.getLogger(RunContext.class);
    /** Characters of log text that one run may store. */
    private static final long MOST_LOGGED = 10L << 20;

    private static final int LONGEST_LINE = 16_000;

    private final LiveRun run;
    private final Surroundings surroundings;
    private final Report report;
    private volatile @Nullable JobLog log;
    private @Nullable Map<String, String> steps;

    /** State shared by all runs of a worker. */
    public record Surroundings(
            WorkSource source,
            Report.Pending reports,
            BooleanSupplier draining,
            Duration lease,
            @Nullable DataSource dataSource) {}

    RunContext(LiveRun run, Surroundings surroundings, int takeovers) {
        this.run = run;
        this.report = new Report(takeovers);
        this.surroundings = surroundings;
    }

    Report report() {
        return report;
    }

    @Override
    public JobId jobId() {
        return run.claim().jobId();
    }

    @Override
    public DefinitionRef definition() {
        return run.definition().ref();
    }

    @Override
    public int run() {
        return run.claim().run();
    }

    @Override
    public int attempt() {
        return run.job().tally().attempts();
    }

    @Override
    public @Nullable String correlationId() {
        return run.job().spec().correlationId();
    }

    @Override
    public @Nullable String traceparent() {
        return run.traceparent();
    }

    @Override
    public Instant deadline() {
        long left = run.job().spec().timeout().toNanos() - (System.nanoTime() - run.startedAt());
        return Instant.now().plusNanos(left);
    }

    @Override
    public void progress(int percent, @Nullable String message) {
        report.progress(
                new Progress(percent, message == null ? null : run.secrets().hide(message)));
        surroundings.reports().soon(run);
    }

    @Override
    public JobLog log() {
        JobLog known = log;
        if (known == null) {
            known = new LineLog(new Lines());
            log = known;
        }
        return known;
    }

    /** The log of the run: each line becomes an event of the job and an SLF4J log line. */
    private final class Lines implements LineLog.Sink {
        private final Logger logger = logger(definition().key());
        private final AtomicLong written = new AtomicLong();

        @Override
        public void line(Level level, String whole, LogData data) {
            String line = Text.storableOf(run.secrets().hide(whole), LONGEST_LINE);
            String json = data.isEmpty() ? null : hidden(data.json());
            store(level, line, json);
            LogContext.around(RunContext.this, () -> log(logger, level, line, json));
        }

        /** The data with secrets masked. */
        private String hidden(String json) {
            String hidden = run.secrets().hideJson(json);
            return hidden.startsWith("{") ? hidden : LogData.note("data left out: its secrets could not be masked");
        }

        private void store(Level level, String line, @Nullable String data) {
            int size = line.length() + (data == null ? 0 : data.length());
            long before = written.getAndAdd(size);
            if (before < MOST_LOGGED) {
                event(EventType.LOG, payload(level, line, data));
            }
            if (before < MOST_LOGGED && before + size >= MOST_LOGGED) {
                String end = "the log of this run is full at 10 MiB; later lines are not stored";
                event(EventType.LOG, payload(Level.WARN, end, null));
            }
        }

        private String payload(Level level, String line, @Nullable String data) {
            return "{\"level\":\"" + level.name().toLowerCase(Locale.ROOT) + "\",\"message\":" + Payload.quoted(line)
                    + (data == null ? "" : ",\"data\":" + data) + "}";
        }
    }

    /** The logger of a definition's jobs. */
    static Logger logger(String definitionKey) {
        return LoggerFactory.getLogger("longhaul.job." + definitionKey);
    }

    /** Logs a line with its data as key-value pairs. */
    static void log(Logger logger, Level level, String line, @Nullable String data) {
        LoggingEventBuilder event = logger.atLevel(level);
        if (data != null && logger.isEnabledForLevel(level)) {
            for (Map.Entry<String, String> field : LogData.texts(data).entrySet()) {
                event = event.addKeyValue(field.getKey(), field.getValue());
            }
        }
        event.log("{}", line);
    }

    @Override
    public void emit(String name, @Nullable Object payload) {
        String value = Json.write(payload);
        event(EventType.CUSTOM, Payload.custom(name, value));
    }

    void event(EventType type, String payload) {
        try {
            if (report.event(type, run.secrets().hideJson(payload))) {
                surroundings.reports().soon(run);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Adds an event that is stored immediately; callers with many events batch them first. */
    void eventNow(EventType type, String payload) {
        event(type, payload);
        surroundings.reports().now(run);
    }

    /** Stores everything reported so far immediately, then calls {@code action} with whether it was stored. */
    void onStored(Consumer<Boolean> action) {
        var unused = report.stored().thenAccept(verdict -> action.accept(verdict.won()));
        surroundings.reports().now(run);
    }

    /** Adds an event of the worker. Never blocks, because the worker's threads must not. */
    void note(EventType type, String payload) {
        report.note(type, run.secrets().hideJson(payload));
        surroundings.reports().soon(run);
    }

    @Override
    public boolean cancelled() {
        return run.stop() != null;
    }

    @Override
    public void throwIfCancelled() {
        LiveRun.Stop stop = run.stop();
        if (stop != null) {
            throw new JobStoppedException(
                    switch (stop) {
                        case CANCEL -> "a cancel was requested";
                        case TIMEOUT ->
                            "the attempt took longer than "
                                    + Text.of(run.job().spec().timeout());
                        case RELEASE -> "the worker is shutting down";
                        case LOST -> "the job no longer belongs to this run";
                    });
        }
    }

    @Override
    public void onCancel(Runnable action) {
        run.onStop(action);
    }

    @Override
    public boolean draining() {
        return surroundings.draining().getAsBoolean();
    }

    @Override
    public DataSource dataSource() {
        return UnstoredContext.required(surroundings.dataSource());
    }

    @Override
    @SuppressWarnings("NullAway") // A step's result is null only if its code returned null.
    public <T extends @Nullable Object> T step(String name, TypeRef<T> type, Callable<T> work) throws Exception {
        String stored = steps().get(name);
        if (stored != null) {
            return Codec.of(type).read(stored);
        }
        throwIfCancelled();
        T done = work.call();
        String result = Json.write(done);
        Verdict verdict = store(new Step(name, result));
        if (verdict.lost()) {
            throw new JobStoppedException("the job no longer belongs to this run");
        }
        if (!verdict.won()) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, "step " + name + ": " + verdict.reason());
        }
        synchronized (this) {
            steps().put(name, result);
        }
        return done;
    }

    private Verdict store(Step step) throws InterruptedException {
        var stored = report.step(step);
        surroundings.reports().now(run);
        try {
            return stored.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** The steps finished by earlier runs; read on first use, and never in a first run. */
    private synchronized Map<String, String> steps() {
        if (steps == null) {
            var known = new ConcurrentHashMap<String, String>();
            if (run() > 1) {
                surroundings.source().steps(jobId()).forEach(step -> known.put(step.name(), step.result()));
            }
            steps = known;
        }
        return steps;
    }

    List<Step> finishedSteps() {
        return steps().entrySet().stream()
                .map(step -> new Step(step.getKey(), step.getValue()))
                .toList();
    }

    /** Calls a callback of the job. Its exceptions are logged, with the job's context fields in any thread. */
    void call(Runnable action) {
        LogContext.around(this, () -> callQuietly(action));
    }

    private void callQuietly(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            LOG.warn(
                    "a cancel callback of {} failed: {}",
                    run,
                    run.hidden(Failure.of(e)).stack());
        }
    }
}
