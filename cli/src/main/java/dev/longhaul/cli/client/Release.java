package dev.longhaul.cli.client;

import picocli.CommandLine.Command;

/** Lets held jobs go. */
@Command(
        name = "release",
        description = "Releases held jobs: they run when they are due.",
        mixinStandardHelpOptions = true)
final class Release extends JobStep {
    Release(Screen screen) {
        super(screen, "release");
    }
}
