package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists queues. */
@Command(
        name = "queues",
        description = "Lists the queues: how many jobs wait and run, since when, and what is paused.",
        mixinStandardHelpOptions = true)
final class Queues implements Runnable {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    Queues(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        Api.Reply reply = server.api().get("/v1/queues");
        if (server.json()) {
            screen.out().println(reply.body());
            return;
        }
        table(reply.json().path("queues")).print(screen);
    }

    static Table table(Iterable<JsonNode> queues) {
        var table = new Table(
                        "QUEUE", "QUEUED", "OLDEST", "SCHEDULED", "RETRYING", "RUNNING", "FAILED", "LIMIT", "PAUSED")
                .whole(0);
        for (JsonNode queue : queues) {
            JsonNode counts = queue.path("counts");
            table.row(
                    queue.path("name").asText(),
                    counts.path("queued").asText(),
                    queue.hasNonNull("oldestDueSeconds")
                            ? Span.about(Duration.ofSeconds(
                                    queue.get("oldestDueSeconds").asLong()))
                            : "-",
                    counts.path("scheduled").asText(),
                    counts.path("retrying").asText(),
                    queue.path("running").asText(),
                    counts.path("failed").asText(),
                    queue.hasNonNull("maxDepth") ? queue.get("maxDepth").asText() : "-",
                    paused(queue));
        }
        return table;
    }

    private static String paused(JsonNode queue) {
        if (!queue.path("paused").asBoolean()) {
            return "no";
        }
        JsonNode pause = queue.path("pause");
        String by = pause.path("by").asText("");
        String note = pause.path("note").asText("");
        return "for " + JobText.age(pause.path("since")) + (by.isEmpty() ? "" : " by " + by)
                + (note.isEmpty() ? "" : ": " + note);
    }
}
