package dev.longhaul.cli.client;

import picocli.CommandLine.Command;

/** Makes jobs due that wait for their time. */
@Command(name = "run-now", description = "Makes scheduled or retrying jobs due now.", mixinStandardHelpOptions = true)
final class RunNow extends JobStep {
    RunNow(Screen screen) {
        super(screen, "runNow");
    }
}
