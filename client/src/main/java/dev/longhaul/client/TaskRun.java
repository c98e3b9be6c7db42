package dev.longhaul.client;

import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.engine.task.TaskFile;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Health;
import dev.longhaul.spi.Outcome;
import dev.longhaul.work.ClaimRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Executes the run of a {@link TaskFile} in this process, for a handler in a pod. The process renews the lease and
 * stores progress, events, steps and the outcome itself, so that the run continues without any worker. After the
 * process is terminated, it reports only a success; the worker that follows it knows the reason and reports any other
 * outcome.
 */
public final class TaskRun {
    private static final Duration LEASE = Duration.ofMinutes(2);
    /**
     * Grace period of the code. Kubernetes' grace period is 30 s by default, and the process needs a part of it to
     * report and exit.
     */
    private static final Duration GRACE = Duration.ofSeconds(25);

    /** Exit code of a process whose outcome was not stored. */
    private static final int NOT_STORED = 70;

    private static volatile boolean terminated;

    private TaskRun() {}

    /**
     * The main method of an image with these definitions. Executes the run that the environment names, then halts the
     * JVM, because threads that the code left running must not keep it alive.
     */
    public static void main(Collection<? extends JobDefinition<?, ?>> definitions) throws IOException {
        TaskFile file = TaskFile.parse(Files.readString(path(TaskFile.VARIABLE)));
        Path stored = path(TaskFile.STORED_VARIABLE);
        JobDefinition<?, ?> definition = definitions.stream()
                .filter(one -> one.ref().toString().equals(file.spec().definition()))
                .findFirst()
                .orElseThrow(() -> new LonghaulException(
                        ErrorCode.UNKNOWN_DEFINITION,
                        "definition: " + file.spec().definition() + " (expected: a definition of this image: "
                                + definitions.stream()
                                        .map(one -> one.ref().toString())
                                        .sorted()
                                        .collect(Collectors.joining(", "))
                                + ")"));
        if (execute(file, definition)) {
            Files.writeString(stored, TaskFile.STORED);
            Runtime.getRuntime().halt(0);
        }
        if (!terminated) {
            Runtime.getRuntime().halt(NOT_STORED);
        }
    }

    private static Path path(String variable) {
        String path = System.getenv(variable);
        if (path == null || path.isBlank()) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    variable + ": missing (expected: a path; workers set it in pods of definitions with a handler)");
        }
        return Path.of(path);
    }

    /**
     * Executes the run. Returns whether its outcome is stored; if not, the run no longer belongs to this process, or
     * the process was terminated.
     */
    private static boolean execute(TaskFile file, JobDefinition<?, ?> definition) {
        try (var client = LonghaulClient.connect(
                URI.create(file.server().url()), file.server().key())) {
            var registry = new Registry();
            registry.register(definition);
            var source = new OneTask(client.channel());
            var config = WorkerConfig.DEFAULT
                    .withQueues(Map.of(file.spec().queue(), 1))
                    .withSlots(1)
                    .withLease(LEASE)
                    .withLogFailures(false);
            Map<String, Executor> executors = Map.of(definition.isolation().executor(), new InThisProcess());
            var backend = new WorkerBackend(source, executors, registry, config, null);
            backend.initialize();
            Thread runner = Thread.currentThread();
            var termination = new Thread(
                    () -> {
                        terminated = true;
                        source.terminated();
                        backend.terminate(exits(runner) ? Duration.ZERO : GRACE);
                    },
                    "longhaul-termination");
            Runtime.getRuntime().addShutdownHook(termination);
            var request = ClaimRequest.of(
                    config.workerId(), List.of(file.spec().queue()), Set.of(definition.ref()), 1, LEASE);
            return backend.executeFor(source.claimed(file, request));
        }
    }

    /** Returns whether the code itself is ending the JVM; then waiting for the code would never end. */
    private static boolean exits(Thread runner) {
        return Arrays.stream(runner.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals("java.lang.Runtime"));
    }

    /** Runs the code in the calling thread. Output of this process becomes output of the job. */
    private static final class InThisProcess implements Executor {
        private final ThreadExecutor thread = new ThreadExecutor();

        @Override
        public String name() {
            return thread.name();
        }

        @Override
        public void initialize() {}

        @Override
        public void prepare(JobDefinition<?, ?> definition) {}

        @Override
        public Outcome execute(Execution execution) {
            String start = System.getenv(TaskFile.START_VARIABLE);
            execution.report(EventType.PROCESS_START, start == null ? "{}" : start);
            var printed = Printed.capture(execution);
            try {
                return thread.execute(execution);
            } finally {
                printed.close();
            }
        }

        @Override
        public Health health() {
            return Health.OK;
        }

        @Override
        public void shutdown() {}
    }
}
