package dev.longhaul.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Unmatched;

/** Hands all its arguments, {@code --help} too, to a benchmark: only that knows what they mean. */
@Command
final class Benchmark implements Callable<Integer> {
    /** The {@code main} method of a program. */
    interface Program {
        void run(String[] args) throws Exception;
    }

    private final Program program;

    @Unmatched
    private List<String> arguments = new ArrayList<>();

    Benchmark(Program program) {
        this.program = program;
    }

    @Override
    public Integer call() throws Exception {
        program.run(arguments.toArray(String[]::new));
        return ExitCode.OK;
    }
}
