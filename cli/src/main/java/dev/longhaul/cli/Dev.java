package dev.longhaul.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;

/** Will start the whole product on this machine; while there is no server to start, it says what can be tried instead. */
@Command(
        name = "dev",
        description = "Says what this version can do; will start the whole product on this machine.",
        mixinStandardHelpOptions = true)
final class Dev implements Runnable {
    private static final String MESSAGE = """
            This version of Longhaul is a Java library with its engine: durable jobs on PostgreSQL, run by workers inside
            your application. There is no server to start yet. The README's first five minutes show how to use it.

            Try:
              ./longhaul bench engine --quick   runs jobs through the engine on an embedded PostgreSQL
              ./longhaul bench store            measures the store beside what PostgreSQL itself can do
              mvn -B verify                     builds everything and runs all tests
            """;

    private final PrintWriter out;

    Dev(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void run() {
        out.print(MESSAGE);
        out.flush();
    }
}
