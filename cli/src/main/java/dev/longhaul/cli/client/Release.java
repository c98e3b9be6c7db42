package dev.longhaul.cli.client;

import picocli.CommandLine.Command;

/** Lets held jobs go. */
@Command(
        name = "release",
        description = "Lets jobs go that were submitted with --hold.",
        mixinStandardHelpOptions = true)
final class Release extends JobStep {
    Release(Screen screen) {
        super(screen, "release");
    }
}
