package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Asks jobs to end. */
@Command(
        name = "cancel",
        description = "Cancels jobs: those that wait end at once, those that run are told to.",
        mixinStandardHelpOptions = true)
final class Cancel extends JobStep {
    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept with the job.")
    private @Nullable String reason;

    @Option(
            names = "--grace",
            paramLabel = "SPAN",
            converter = Span.class,
            description = "How long running code may take to end by itself.")
    private @Nullable Duration grace;

    Cancel(Screen screen) {
        super(screen, "cancel");
    }

    @Override
    String body() {
        ObjectNode body = Api.JSON.createObjectNode();
        if (reason != null) {
            body.put("reason", reason);
        }
        if (grace != null) {
            body.put("graceSeconds", grace.toSeconds());
        }
        return body.toString();
    }
}
