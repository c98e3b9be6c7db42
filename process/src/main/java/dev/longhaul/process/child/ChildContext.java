package dev.longhaul.process.child;

import dev.longhaul.JobContext;
import dev.longhaul.JobLog;
import dev.longhaul.JobStoppedException;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.log.LineLog;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Step;
import dev.longhaul.json.Codec;
import dev.longhaul.json.Json;
import dev.longhaul.json.LogData;
import dev.longhaul.json.TypeRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/** The context of a run in a child process. It sends every report to the worker, which stores it. */
final class ChildContext implements JobContext {
    /**
     * Maximum length of a log line that is sent to the worker. Longer than a stored line, because the worker masks
     * secrets before it truncates the line.
     */
    private static final int LONGEST_LINE = 1 << 20;

    private final Assignment assignment;
    private final Wire wire;
    private final AtomicInteger lastStep = new AtomicInteger();
    private final Map<Integer, BlockingQueue<Wire.Said>> steps = new ConcurrentHashMap<>();
    private final List<Runnable> onStop = new ArrayList<>();
    private volatile @Nullable String stop;
    private volatile boolean draining;

    ChildContext(Assignment assignment, Wire wire) {
        this.assignment = assignment;
        this.wire = wire;
    }

    /** Handles a message from the worker. */
    void received(Wire.Said said) {
        switch (said.word()) {
            case STOP -> stop(said.text(0));
            case DRAINING -> draining = true;
            case STEP_DO, STEP_RESULT, STEP_REFUSED -> {
                BlockingQueue<Wire.Said> waiting = steps.get(said.number(0));
                if (waiting != null) {
                    waiting.add(said);
                }
            }
            default -> throw new IllegalStateException("unexpected message from the worker: " + said.word());
        }
    }

    private void stop(String why) {
        List<Runnable> actions;
        synchronized (onStop) {
            stop = why;
            actions = List.copyOf(onStop);
            onStop.clear();
        }
        if (!actions.isEmpty()) {
            var thread = new Thread(() -> actions.forEach(Runnable::run), "longhaul-on-cancel");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void send(Word word, @Nullable String... texts) {
        try {
            wire.say(word, texts);
        } catch (IOException e) {
            throw new UncheckedIOException("connection to the worker lost", e);
        }
    }

    @Override
    public @Nullable JobId jobId() {
        return assignment.jobId();
    }

    @Override
    public DefinitionRef definition() {
        return assignment.definition();
    }

    @Override
    public int run() {
        return assignment.run();
    }

    @Override
    public int attempt() {
        return assignment.attempt();
    }

    @Override
    public @Nullable String correlationId() {
        return assignment.correlationId();
    }

    @Override
    public @Nullable String traceparent() {
        return assignment.traceparent();
    }

    @Override
    public Instant deadline() {
        return assignment.deadline();
    }

    @Override
    public void progress(int percent, @Nullable String message) {
        // Validated here, so that the code gets the exception as in a thread.
        var progress = new Progress(percent, message);
        send(Word.PROGRESS, String.valueOf(percent), progress.message());
    }

    @Override
    public JobLog log() {
        return new LineLog(this::line);
    }

    @Override
    public void emit(String name, @Nullable Object payload) {
        String value = Json.write(payload);
        new NewEvent(1, EventType.CUSTOM, null, Payload.custom(name, value));
        send(Word.EMIT, name, value);
    }

    @Override
    public boolean cancelled() {
        return stop != null;
    }

    @Override
    public void throwIfCancelled() {
        String why = stop;
        if (why != null) {
            throw new JobStoppedException(why);
        }
    }

    @Override
    public void onCancel(Runnable action) {
        synchronized (onStop) {
            if (stop == null) {
                onStop.add(action);
                return;
            }
        }
        action.run();
    }

    @Override
    public boolean draining() {
        return draining;
    }

    @Override
    public DataSource dataSource() {
        throw new LonghaulException(
                ErrorCode.FAILED_PRECONDITION,
                "dataSource: unavailable with isolation process (expected: isolation thread, or a connection opened"
                        + " by the code)");
    }

    @Override
    @SuppressWarnings("NullAway") // A step's result is null only if its code returned null.
    public <T extends @Nullable Object> T step(String name, TypeRef<T> type, Callable<T> work) throws Exception {
        int number = lastStep.incrementAndGet();
        var responses = new LinkedBlockingQueue<Wire.Said>();
        steps.put(number, responses);
        try {
            send(Word.STEP, String.valueOf(number), name);
            Wire.Said response = responses.take();
            T done = null;
            boolean here = response.word() == Word.STEP_DO;
            if (here) {
                done = done(number, name, work);
                response = responses.take();
            }
            if (response.word() == Word.STEP_REFUSED) {
                throw cancelled()
                        ? new JobStoppedException(response.text(1))
                        : new LonghaulException(ErrorCode.INVALID_ARGUMENT, response.text(1));
            }
            return here ? done : Codec.of(type).read(response.text(1));
        } finally {
            steps.remove(number);
        }
    }

    private <T extends @Nullable Object> T done(int number, String name, Callable<T> work) throws Exception {
        try {
            T done = work.call();
            var step = new Step(name, Json.write(done));
            send(Word.STEP_DONE, String.valueOf(number), step.result());
            return done;
        } catch (Exception | Error e) {
            send(Word.STEP_FAILED, String.valueOf(number));
            throw e;
        }
    }

    /** Sends a log line; the worker writes it to the job's log and to its own. */
    private void line(Level level, String line, LogData data) {
        send(
                Word.LOG,
                level.name(),
                line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) : line,
                data.isEmpty() ? null : data.json());
    }
}
