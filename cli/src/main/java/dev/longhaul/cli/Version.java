package dev.longhaul.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;

/** Prints the version from the jar's manifest and the version of Java. */
@Command(name = "version", description = "Prints the versions of Longhaul and Java.", mixinStandardHelpOptions = true)
final class Version implements Runnable {
    private final PrintWriter out;

    Version(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void run() {
        out.println(line());
    }

    static String line() {
        var version = Version.class.getPackage().getImplementationVersion();
        return "longhaul " + (version == null ? "(not run from its jar)" : version) + ", Java " + Runtime.version();
    }
}
