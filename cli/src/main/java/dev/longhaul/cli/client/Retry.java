package dev.longhaul.cli.client;

import picocli.CommandLine.Command;

/** Starts ended jobs over. */
@Command(
        name = "retry",
        description = "Starts failed or cancelled jobs over, with all their attempts.",
        mixinStandardHelpOptions = true)
final class Retry extends JobStep {
    Retry(Screen screen) {
        super(screen, "retry");
    }
}
