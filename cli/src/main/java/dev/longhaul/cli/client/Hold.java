package dev.longhaul.cli.client;

import picocli.CommandLine.Command;

/** Holds waiting jobs. */
@Command(
        name = "hold",
        description = "Holds waiting jobs: they do not run until they are released.",
        mixinStandardHelpOptions = true)
final class Hold extends JobStep {
    Hold(Screen screen) {
        super(screen, "hold");
    }
}
