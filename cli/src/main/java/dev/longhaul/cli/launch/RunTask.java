package dev.longhaul.cli.launch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.longhaul.Isolation;
import dev.longhaul.client.TaskRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** Executes one run of one job in a pod whose definition has a handler. */
@Command(
        name = "run-task",
        description = {
            "Executes one run in a pod that a worker with --kubernetes and --pod-server has created.",
            "The worker sets LONGHAUL_TASK, the file with the run; do not start it yourself."
        },
        mixinStandardHelpOptions = true)
public final class RunTask implements Callable<Integer> {
    @Option(
            names = "--jobs",
            paramLabel = "PATHS",
            description = "Jars or directories with the definitions, separated by commas. Default: LONGHAUL_JOBS.")
    private @Nullable String jobs;

    @Override
    public Integer call() throws IOException {
        // The handler's log lines are already events of the job. On stderr they would also become its output.
        ((Logger) LoggerFactory.getLogger("longhaul.job")).setLevel(Level.OFF);
        String paths = jobs == null ? System.getenv("LONGHAUL_JOBS") : jobs;
        List<Path> found = paths == null || paths.isBlank()
                ? List.of()
                : Arrays.stream(paths.split(",", -1))
                        .map(one -> Path.of(one.strip()))
                        .toList();
        var config = new JobsConfig(found, false, found.isEmpty(), false, null, Isolation.thread(), null, List.of());
        try (LoadedJobs loaded = LoadedJobs.load(config)) {
            TaskRun.main(loaded.registry().all());
        }
        return ExitCode.OK;
    }
}
