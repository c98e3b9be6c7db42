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
            This version of Longhaul is the foundation: the job states and their rules, the in-memory store, the
            PostgreSQL store and an embedded PostgreSQL. There is no worker and no server to start yet.

            Try:
              ./longhaul bench store   measures the store beside what PostgreSQL itself can do
              mvn -B verify            builds everything and runs all tests
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
