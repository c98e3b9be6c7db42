package dev.longhaul.process.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Failure;
import dev.longhaul.process.supervise.Ending;
import dev.longhaul.process.supervise.Environment;
import dev.longhaul.process.supervise.Launch;
import dev.longhaul.process.supervise.Output;
import dev.longhaul.process.supervise.ProcessEnd;
import dev.longhaul.process.supervise.ProcessLimits;
import dev.longhaul.process.supervise.SupervisedProcess;
import dev.longhaul.process.supervise.Supervisor;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Runs commands: starts the process, stores its output, and maps its exit to an outcome. */
public final class CommandExecutor {
    private final Supervisor supervisor;
    private final Duration grace;

    /**
     * Creates an executor.
     *
     * @param grace time between TERM and KILL for a command that exceeds its own timeout
     */
    public CommandExecutor(Supervisor supervisor, Duration grace) {
        this.supervisor = supervisor;
        this.grace = grace;
    }

    public Outcome execute(Execution execution, CommandHandler handler) {
        JsonNode params = (JsonNode) execution.definition().params().read(execution.params());
        if (params == null) {
            return new Outcome.Refused(Failure.of(Failure.GIVEN_UP, "params: null (expected: an object)"));
        }
        Command command = handler.command(params);
        String wrong = invalidReason(command);
        if (wrong != null) {
            reportError(execution, wrong);
            return new Outcome.Refused(Failure.of(Failure.GIVEN_UP, wrong));
        }
        String missing = missingReason(command);
        if (missing != null) {
            return notStarted(execution, missing);
        }
        try (SupervisedProcess process = supervisor.start(launch(command, execution), command.stdin())) {
            execution.report(EventType.PROCESS_START, "{\"pid\":" + process.pid() + "}");
            execution.context().onCancel(process::terminate);
            var end = new Ending(process, command.timeout(), grace, execution);
            var output = new Output(process, execution);
            end.await();
            output.await();
            execution.report(EventType.PROCESS_END, end.how().json());
            return outcome(execution, handler, end);
        } catch (IOException e) {
            return notStarted(execution, String.valueOf(e.getMessage()));
        }
    }

    private static Launch launch(Command command, Execution execution) {
        Isolation.InProcess isolation =
                (Isolation.InProcess) execution.definition().isolation();
        Map<String, String> variables = new TreeMap<>(isolation.environment());
        JobContext context = execution.context();
        if (context.jobId() != null) {
            variables.put("LONGHAUL_JOB_ID", context.jobId().toString());
            variables.put("LONGHAUL_RUN", String.valueOf(context.run()));
            variables.put("LONGHAUL_ATTEMPT", String.valueOf(context.attempt()));
        }
        String traceparent = execution.traceparent();
        if (traceparent != null) {
            variables.put("TRACEPARENT", traceparent);
        }
        variables.putAll(command.env());
        execution.hide(isolation.environment().values());
        execution.hide(command.env().values());
        return new Launch(command.argv(), variables, command.dir(), ProcessLimits.of(isolation), execution::nanosLeft);
    }

    /**
     * Returns why no machine can start the command; null if it is valid. The text omits values of variables, because
     * they are secrets.
     */
    private static @Nullable String invalidReason(Command command) {
        if (command.argv().isEmpty()) {
            return "argv: [] (expected: a program)";
        }
        for (int i = 0; i < command.argv().size(); i++) {
            if (hasNul(command.argv().get(i))) {
                return "argv[" + i + "]: (expected: no NUL in it)";
            }
        }
        String dir = command.dir();
        if (dir != null && (hasNul(dir) || dir.isEmpty())) {
            return "dir: (expected: the name of a directory, without NUL)";
        }
        for (var variable : command.env().entrySet()) {
            String name = variable.getKey();
            if (name.isEmpty() || name.contains("=") || hasNul(name)) {
                return "env: " + Payload.quoted(name) + " (expected: a name without = and NUL)";
            }
            if (hasNul(variable.getValue())) {
                return "env." + name + ": *** (expected: no NUL in it)";
            }
        }
        return null;
    }

    private static boolean hasNul(String text) {
        return text.indexOf('\0') >= 0;
    }

    /** Returns why this machine cannot start the command; null if no reason is known. */
    private static @Nullable String missingReason(Command command) {
        String dir = command.dir();
        if (dir != null && !Files.isDirectory(Path.of(dir))) {
            return "dir: " + dir + " (expected: a directory on the worker's machine)";
        }
        String program = command.argv().get(0);
        String path = command.env().getOrDefault("PATH", Environment.path());
        return Programs.exists(program, dir, path)
                ? null
                : "argv[0]: " + program + " (expected: a program on the worker's machine)";
    }

    private static void reportError(Execution execution, String why) {
        execution.report(EventType.PROCESS_ERROR, "{\"message\":" + Payload.quoted(why) + "}");
    }

    private static Outcome notStarted(Execution execution, String why) {
        reportError(execution, why);
        // The failure can be retried, because another worker may have the program.
        return failed(execution, Failure.of(Failure.EXIT_CODE, why), 127);
    }

    private static Outcome outcome(Execution execution, CommandHandler handler, Ending ending) {
        ProcessEnd end = ending.how();
        if (end.outOfMemory()) {
            return failed(execution, outOfMemory(execution, end), end.exitCode());
        }
        if (ending.tookTooLong()) {
            return failed(
                    execution, Failure.of(Failure.TIMEOUT, "the command exceeded its timeoutSeconds"), end.exitCode());
        }
        if (end.exitCode() == 0) {
            return new Outcome.Returned("{\"exitCode\":0}");
        }
        Integer signal = end.signal();
        Failure failure = signal == null
                ? Failure.of(Failure.EXIT_CODE, "the command exited with code " + end.exitCode())
                : Failure.of(Failure.SIGNAL, "the command was killed by signal " + signal);
        return handler.isFinal(end.exitCode())
                ? new Outcome.Refused(failure)
                : failed(execution, failure, end.exitCode());
    }

    public static Failure outOfMemory(Execution execution, ProcessEnd end) {
        Long limit = ((Isolation.InProcess) execution.definition().isolation()).memoryBytes();
        return Failure.of(
                Failure.OUT_OF_MEMORY,
                "out of memory: killed, "
                        + (limit == null ? "no memory is left on the machine" : "memory limit " + mebibytes(limit))
                        + peak(end));
    }

    public static String peak(ProcessEnd end) {
        return end.peakMemory() == null ? "" : ", peak memory " + mebibytes(end.peakMemory());
    }

    public static String mebibytes(long bytes) {
        return (bytes >> 20) + " MiB";
    }

    /** Applies the definition's retry policy to a failure. */
    public static Outcome failed(Execution execution, Failure failure, int exitCode) {
        JobDefinition<?, ?> definition = execution.definition();
        return definition
                .retry()
                .delayAfter(
                        new ProcessFailedException(exitCode, failure.message()),
                        execution.context().attempt(),
                        ThreadLocalRandom.current())
                .<Outcome>map(delay -> new Outcome.Failed(failure, delay))
                .orElseGet(() -> new Outcome.Refused(failure));
    }
}
