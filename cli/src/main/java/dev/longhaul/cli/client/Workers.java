package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists workers. */
@Command(name = "workers", description = "Lists the processes that run jobs.", mixinStandardHelpOptions = true)
final class Workers implements Runnable {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    Workers(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        Api.Reply reply = server.api().get("/v1/workers");
        if (server.json()) {
            screen.out().println(reply.body());
            return;
        }
        var table = new Table("WORKER", "STATE", "HOST", "PID", "RUNNING", "QUEUES", "VERSION", "SEEN").whole(0);
        reply.json()
                .path("workers")
                .forEach(worker -> table.row(
                        worker.path("workerId").asText(),
                        worker.path("state").asText(),
                        worker.path("host").asText(),
                        worker.path("pid").asText(),
                        worker.path("running").asText() + "/"
                                + worker.path("slots").asText(),
                        texts(worker.path("queues")),
                        worker.path("version").asText(),
                        JobText.age(worker.path("lastSeenAt"))));
        table.print(screen);
    }

    private static String texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(one -> texts.add(one.asText()));
        return String.join(",", texts);
    }
}
