package dev.longhaul.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;

/** The version in the jar's manifest, and the Java that runs it: the two things a bug report needs first. */
@Command(name = "version", description = "Prints the version of Longhaul and of Java.", mixinStandardHelpOptions = true)
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
