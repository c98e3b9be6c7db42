package dev.longhaul.cli.client;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows a job until it has ended. */
@Command(
        name = "watch",
        description = {
            "Shows a job's progress and log lines until it has ended; with --json its events, a line each.",
            "Exit code: 0 succeeded, 10 failed, 11 cancelled, 12 still going when interrupted or out of time."
        },
        mixinStandardHelpOptions = true)
final class Watch implements Callable<Integer> {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "ID", description = "The job.")
    private String id = "";

    @Option(
            names = "--timeout",
            paramLabel = "SPAN",
            converter = Span.class,
            description = "Leave after that long (exit code 12).")
    private @Nullable Duration timeout;

    Watch(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws InterruptedException {
        return new Watching(server.api(), screen, server.json()).watch(id, new Deadline(timeout));
    }
}
