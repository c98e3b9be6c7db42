package dev.longhaul.cli.client;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lets a paused queue go on. */
@Command(name = "resume", description = "Lets a paused queue go on.", mixinStandardHelpOptions = true)
final class Resume implements Runnable {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "QUEUE", description = "The queue.")
    private String queue = "";

    Resume(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        Api.Reply reply = server.api().post("/v1/queues/" + Api.segment(queue) + "/resume", null);
        if (server.json()) {
            screen.out().println(reply.body());
        } else {
            Queues.table(List.of(reply.json())).print(screen);
        }
    }
}
