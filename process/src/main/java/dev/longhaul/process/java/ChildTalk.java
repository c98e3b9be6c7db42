package dev.longhaul.process.java;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobContext;
import dev.longhaul.JobLog;
import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.job.Failure;
import dev.longhaul.json.Json;
import dev.longhaul.process.child.Assignment;
import dev.longhaul.process.child.Times;
import dev.longhaul.process.child.Wire;
import dev.longhaul.process.child.Word;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The worker's end of a run in a child JVM: applies the messages of the child to the context of the run. */
final class ChildTalk {
    private static final Logger LOG = LoggerFactory.getLogger(ChildTalk.class);

    private final Execution execution;
    private final JobContext context;
    private final Map<String, BlockingQueue<Wire.Said>> steps = new ConcurrentHashMap<>();
    private volatile @Nullable Outcome outcome;
    private volatile boolean exiting;
    private @Nullable Thread listener;

    ChildTalk(Execution execution) {
        this.execution = execution;
        this.context = execution.context();
    }

    /** Sends the run to the child and starts reading its messages. */
    void start(Wire wire) {
        try {
            wire.say(Word.RUN, Assignment.of(execution.params(), context).texts());
        } catch (IOException e) {
            LOG.debug("connection to the child JVM lost before the run started", e);
            return;
        }
        listener = start("longhaul-child-talk", () -> listen(wire));
        context.onCancel(() -> send(wire, Word.STOP, why()));
        execution.onDraining(() -> send(wire, Word.DRAINING));
    }

    private String why() {
        try {
            context.throwIfCancelled();
            return "the run should stop";
        } catch (RuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static Thread start(String name, Runnable work) {
        var thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void send(Wire wire, Word word, @Nullable String... texts) {
        try {
            wire.say(word, texts);
        } catch (IOException e) {
            LOG.debug("connection to the child JVM lost", e);
        }
    }

    private void listen(Wire wire) {
        try {
            for (Wire.Said said = wire.hear(); said != null; said = wire.hear()) {
                hear(wire, said);
            }
        } catch (IOException e) {
            LOG.debug("connection to the child JVM lost", e);
            close(wire);
        } catch (RuntimeException e) {
            LOG.warn("malformed message from the child process of {}; closing its connection", context.definition(), e);
            close(wire);
        } finally {
            // The child can no longer execute pending steps.
            steps.forEach((number, waiting) -> waiting.add(failed(number)));
        }
    }

    /** Closes the connection; the child then exits. */
    private static void close(Wire wire) {
        try {
            wire.close();
        } catch (IOException e) {
            LOG.debug("connection to the child JVM lost", e);
        }
    }

    private static Wire.Said failed(String number) {
        return new Wire.Said(Word.STEP_FAILED, List.of(number));
    }

    private void hear(Wire wire, Wire.Said said) {
        switch (said.word()) {
            case PROGRESS -> context.progress(said.number(0), said.texts().get(1));
            case LOG ->
                log(Level.valueOf(said.text(0)), said.text(1), said.texts().get(2));
            case EMIT -> context.emit(said.text(0), Json.read(said.text(1), JsonNode.class));
            case STEP -> {
                // The queue is registered on this thread, so that listen() fails the step if the child dies.
                var responses = new LinkedBlockingQueue<Wire.Said>();
                steps.put(said.text(0), responses);
                start("longhaul-child-step", () -> step(wire, said.text(0), said.text(1), responses));
            }
            case STEP_DONE, STEP_FAILED -> {
                BlockingQueue<Wire.Said> waiting = steps.get(said.text(0));
                if (waiting != null) {
                    waiting.add(said);
                }
            }
            case RETURNED ->
                outcome = ThreadExecutor.checked(execution.definition(), new Outcome.Returned(said.text(0)));
            case SNOOZED -> outcome = new Outcome.Snoozed(Times.parse(said.text(0)));
            case FAILED -> outcome = failure(said);
            case EXITING -> exiting = true;
            default -> throw new IllegalStateException("unexpected message from a child: " + said.word());
        }
    }

    private void log(Level level, String line, @Nullable String data) {
        JobLog log = context.log();
        JsonNode fields = data == null ? null : Json.read(data, JsonNode.class);
        if (fields != null) {
            for (Map.Entry<String, JsonNode> field : fields.properties()) {
                log = log.with(field.getKey(), field.getValue());
            }
        }
        switch (level) {
            case ERROR -> log.error("{}", line);
            case WARN -> log.warn("{}", line);
            default -> log.info("{}", line);
        }
    }

    private static Outcome failure(Wire.Said said) {
        var failure = new Failure(
                said.text(0), said.text(1), said.texts().get(2), said.texts().get(3));
        if (failure.code().equals(Failure.PARAMS_UNREADABLE)) {
            return new Outcome.Unreadable(failure);
        }
        String delay = said.texts().get(4);
        return delay == null ? new Outcome.Refused(failure) : new Outcome.Failed(failure, Duration.parse(delay));
    }

    /** Handles a step of the child: the child executes it unless its result is stored; the worker stores the result. */
    private void step(Wire wire, String number, String name, BlockingQueue<Wire.Said> responses) {
        try {
            JsonNode result = context.step(name, JsonNode.class, () -> {
                send(wire, Word.STEP_DO, number);
                Wire.Said response = responses.take();
                if (response.word() == Word.STEP_FAILED) {
                    throw new StepFailed();
                }
                return Json.read(response.text(1), JsonNode.class);
            });
            send(wire, Word.STEP_RESULT, number, Json.write(result));
        } catch (StepFailed e) {
            LOG.trace("step failed in the child", e);
        } catch (Exception e) {
            send(wire, Word.STEP_REFUSED, number, String.valueOf(e.getMessage()));
        } finally {
            steps.remove(number);
        }
    }

    private static final class StepFailed extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** Waits until all messages of the child are processed; the child must have exited. */
    void awaitEnd() {
        Thread listening = listener;
        boolean interrupted = false;
        while (listening != null && listening.isAlive()) {
            try {
                listening.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether the code has shut the JVM down itself, for example with {@code System.exit}. */
    boolean exiting() {
        return exiting;
    }

    /** Returns the outcome of the run; null if the child has not reported one. */
    @Nullable
    Outcome outcome() {
        return outcome;
    }
}
