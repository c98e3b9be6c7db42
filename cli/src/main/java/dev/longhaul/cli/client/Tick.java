package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Has the server make one pass, for where no worker stays. */
@Command(
        name = "tick",
        description = "Has the server free jobs of dead workers and run a few that are due, then says which.",
        mixinStandardHelpOptions = true)
final class Tick implements Runnable {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Option(names = "--max", paramLabel = "N", description = "How many jobs at most, 1 to 100; 5 if not given.")
    private @Nullable Integer max;

    Tick(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        ObjectNode body = Api.JSON.createObjectNode();
        if (max != null) {
            body.put("max", max);
        }
        Api.Reply reply = server.api().post("/v1/tick", body.toString());
        if (server.json()) {
            screen.out().println(reply.body());
            return;
        }
        JsonNode report = reply.json();
        var table = new Table("JOB", "OUTCOME", "TOOK").whole(0);
        report.path("executed")
                .forEach(one -> table.row(
                        one.path("jobId").asText(),
                        one.path("success").asBoolean() ? "succeeded" : JobText.error(one.path("error")),
                        one.path("durationMs").asText() + "ms"));
        if (!report.path("executed").isEmpty()) {
            table.print(screen);
        }
        screen.out()
                .println("ran " + report.path("executed").size() + ", fired "
                        + report.path("fired").asText() + ", freed "
                        + report.path("expired").asText() + ", left waiting "
                        + report.path("waiting").asText());
    }
}
