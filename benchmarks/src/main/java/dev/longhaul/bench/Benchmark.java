package dev.longhaul.bench;

import dev.longhaul.bench.measure.Menu;
import dev.longhaul.bench.measure.Options;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Unmatched;

/** A subcommand that passes its arguments, including {@code --help}, to the benchmark's own parser. */
@Command
final class Benchmark implements Callable<Integer> {
    /** Runs a measurement and prints the results. */
    interface Program {
        void run(Options options, PrintStream out) throws Exception;
    }

    private final Menu menu;
    private final Program program;

    @Unmatched
    private List<String> arguments = new ArrayList<>();

    Benchmark(Menu menu, Program program) {
        this.menu = menu;
        this.program = program;
    }

    @Override
    public Integer call() throws Exception {
        if (arguments.contains("--help")) {
            System.out.println(menu.usage());
        } else {
            program.run(Options.parse(menu, arguments.toArray(String[]::new)), System.out);
        }
        return ExitCode.OK;
    }
}
