package dev.longhaul.cli;

import dev.longhaul.bench.HttpBenchmark;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Unmatched;

/** Hands all its arguments, {@code --help} too, to the benchmark: only that knows what they mean. */
@Command(
        name = "http",
        description =
                "Measures the server under load from another process, beside the most that PostgreSQL can do here.",
        customSynopsis = "longhaul bench http [ARGUMENT...]")
final class BenchHttp implements Callable<Integer> {
    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        HttpBenchmark.main(arguments.toArray(String[]::new));
        return ExitCode.OK;
    }
}
