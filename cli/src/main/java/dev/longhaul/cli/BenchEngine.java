package dev.longhaul.cli;

import dev.longhaul.bench.EngineBenchmark;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Unmatched;

/** Hands all its arguments, {@code --help} too, to the benchmark: only that knows what they mean. */
@Command(
        name = "engine",
        description = "Measures the engine beside the most that PostgreSQL can do here.",
        customSynopsis = "longhaul bench engine [ARGUMENT...]")
final class BenchEngine implements Callable<Integer> {
    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        EngineBenchmark.main(arguments.toArray(String[]::new));
        return ExitCode.OK;
    }
}
