package dev.longhaul.cli;

import dev.longhaul.bench.SchedulesBenchmark;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Unmatched;

/** Hands all its arguments, {@code --help} too, to the benchmark: only that knows what they mean. */
@Command(
        name = "schedules",
        description = "Measures how punctual schedules are, and what it costs to look after many.",
        customSynopsis = "longhaul bench schedules [ARGUMENT...]")
final class BenchSchedules implements Callable<Integer> {
    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        SchedulesBenchmark.main(arguments.toArray(String[]::new));
        return ExitCode.OK;
    }
}
