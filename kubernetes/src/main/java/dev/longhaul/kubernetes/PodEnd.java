package dev.longhaul.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.engine.task.TaskFile;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.RunAt;
import dev.longhaul.json.Json;
import dev.longhaul.kubernetes.job.PodState;
import dev.longhaul.process.command.CommandExecutor;
import dev.longhaul.process.command.CommandHandler;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Outcome;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Maps the end of a pod to the outcome of its run. */
final class PodEnd {
    private static final int MOST_DISRUPTIONS = 5;
    private static final Pattern DISRUPTIONS = Pattern.compile("\\(disruption ([0-9]{1,6})\\)");
    private static final int SIGNALLED = 128;
    private static final int MOST_SIGNALS = 64;
    private static final int NOT_STARTED = 128;
    private static final Duration AFTER_DISRUPTION = Duration.ofSeconds(1);

    private final Execution execution;
    private final Isolation.InPod pod;
    /** Whether the pod executes the run itself. Exit code 0 alone is then not a success. */
    private final boolean task;

    PodEnd(Execution execution, PodCommand command) {
        this.execution = execution;
        this.pod = command.pod();
        this.task = command.task();
    }

    /**
     * Returns whether the pod has executed the run and stored the outcome itself, so that the worker stores nothing.
     */
    static boolean storedByPod(PodState state) {
        return state instanceof PodState.Exited exited
                && exited.code() == 0
                && exited.message().strip().equals(TaskFile.STORED);
    }

    /** Returns the outcome for the state of an ended pod. */
    Outcome outcome(PodState state) {
        if (state instanceof PodState.Exited exited) {
            execution.report(EventType.PROCESS_END, json(exited));
            return exited(exited);
        }
        if (state instanceof PodState.Disrupted disrupted) {
            int times = disruptions() + 1;
            String message = "the cluster ended the pod (disruption " + times + "): " + disrupted.reason() + " "
                    + disrupted.message();
            error(message);
            return times <= MOST_DISRUPTIONS
                    ? new Outcome.GivenBack(Failure.of(Failure.DISRUPTED, message), RunAt.after(AFTER_DISRUPTION))
                    : new Outcome.Crashed(Failure.of(Failure.DISRUPTED, message));
        }
        if (state instanceof PodState.TimedOut timedOut) {
            return failed(Failure.of(Failure.TIMEOUT, "Kubernetes ended the pod: " + timedOut.message()));
        }
        String message = state instanceof PodState.Gone gone ? gone.message() : "its pod is gone";
        error(message);
        return new Outcome.Crashed(Failure.of(Failure.LOST, message));
    }

    /**
     * Returns how many runs of the job in a row were ended by the cluster. Runs that were given back for other reasons
     * spend no attempt either, so the number is kept in the failure.
     */
    private int disruptions() {
        Job job = execution.job();
        Failure last = job == null ? null : job.failure();
        if (last == null || !last.code().equals(Failure.DISRUPTED)) {
            return 0;
        }
        Matcher number = DISRUPTIONS.matcher(last.message());
        return number.find() ? Integer.parseInt(number.group(1)) : 0;
    }

    private Outcome exited(PodState.Exited end) {
        if (end.code() == 0 && !task) {
            return ThreadExecutor.checked(execution.definition(), new Outcome.Returned(result(end.message())));
        }
        Failure failure = failure(end);
        boolean isFinal =
                execution.definition().handler() instanceof CommandHandler handler && handler.isFinal(end.code());
        return isFinal ? new Outcome.Refused(failure) : CommandExecutor.failed(execution, failure, end.code());
    }

    private Failure failure(PodState.Exited end) {
        if (end.reason().equals("OOMKilled")) {
            Long limit = pod.memoryBytes();
            return Failure.of(
                    Failure.OUT_OF_MEMORY,
                    "out of memory: killed, "
                            + (limit == null
                                    ? "no memory is left on the node"
                                    : "memory limit " + CommandExecutor.mebibytes(limit)));
        }
        String said = end.message().isEmpty() ? "" : ": " + end.message().strip();
        if (end.code() == 0) {
            return Failure.of(
                    Failure.EXIT_CODE, "the container exited with code 0 before its outcome was stored" + said);
        }
        int signal = end.code() - SIGNALLED;
        return signal > 0 && signal <= MOST_SIGNALS
                ? Failure.of(Failure.SIGNAL, "the container was killed by signal " + signal + said)
                : Failure.of(Failure.EXIT_CODE, "the container exited with code " + end.code() + said);
    }

    /** Returns the termination log if the code wrote JSON to it; otherwise an object with the exit code. */
    private static String result(String message) {
        if (message.isBlank()) {
            return "{\"exitCode\":0}";
        }
        try {
            JsonNode json = Json.read(message, JsonNode.class);
            return json == null ? "null" : json.toString();
        } catch (LonghaulException e) {
            return "{\"exitCode\":0,\"message\":" + Payload.quoted(message) + "}";
        }
    }

    private static String json(PodState.Exited end) {
        return "{\"exitCode\":" + end.code() + ",\"reason\":" + Payload.quoted(end.reason())
                + (end.reason().equals("OOMKilled") ? ",\"outOfMemory\":true" : "") + "}";
    }

    /**
     * Returns the outcome if the reason means that Kubernetes could not create the pod; null if it may still succeed.
     */
    @Nullable
    Outcome noPod(String message, Duration pause) {
        if (message.contains("exceeded quota")) {
            error(message);
            return new Outcome.GivenBack(Failure.of(Failure.QUOTA, message), RunAt.after(pause));
        }
        if (message.contains("forbidden") || message.contains("not found") || message.contains("nvalid")) {
            error(message);
            return new Outcome.Refused(Failure.of(Failure.NOT_STARTED, message));
        }
        return null;
    }

    /** Returns a failure that the definition's retry policy may retry. */
    Outcome failed(Failure failure) {
        error(failure.message());
        return CommandExecutor.failed(execution, failure, NOT_STARTED);
    }

    private void error(String message) {
        execution.report(EventType.PROCESS_ERROR, "{\"message\":" + Payload.quoted(message) + "}");
    }
}
