package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Stops a queue. */
@Command(
        name = "pause",
        description = "Stops a queue from handing out jobs; those that run go on.",
        mixinStandardHelpOptions = true)
final class Pause implements Runnable {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "QUEUE", description = "The queue.")
    private String queue = "";

    @Option(names = "--note", paramLabel = "TEXT", description = "Why; shown to everybody who looks.")
    private @Nullable String note;

    Pause(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        ObjectNode body = Api.JSON.createObjectNode();
        if (note != null) {
            body.put("note", note);
        }
        Api.Reply reply = server.api().post("/v1/queues/" + Api.segment(queue) + "/pause", body.toString());
        if (server.json()) {
            screen.out().println(reply.body());
        } else {
            Queues.table(List.of(reply.json())).print(screen);
        }
    }
}
