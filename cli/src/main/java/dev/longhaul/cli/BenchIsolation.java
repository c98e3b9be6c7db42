package dev.longhaul.cli;

import dev.longhaul.bench.IsolationBenchmark;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Unmatched;

/** Hands all its arguments, {@code --help} too, to the benchmark: only that knows what they mean. */
@Command(
        name = "isolation",
        description = "Measures what a process of its own costs a run, beside a thread and a bare process.",
        customSynopsis = "longhaul bench isolation [ARGUMENT...]")
final class BenchIsolation implements Callable<Integer> {
    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        IsolationBenchmark.main(arguments.toArray(String[]::new));
        return ExitCode.OK;
    }
}
