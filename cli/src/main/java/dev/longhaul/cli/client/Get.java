package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one job. */
@Command(name = "get", description = "Shows a job.", mixinStandardHelpOptions = true)
final class Get implements Runnable {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "ID", description = "The job.")
    private String id = "";

    @Option(names = "--full", description = "With params, stack and lease, and its runs; needs the role operator.")
    private boolean full;

    Get(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        Api api = server.api();
        String path = "/v1/jobs/" + Api.segment(id);
        Api.Reply reply = api.get(path + (full ? "?view=full" : ""));
        if (server.json()) {
            screen.out().println(reply.body());
            return;
        }
        JobText.all(screen, reply.json());
        if (full) {
            runs(api.get(path + "/runs").json().path("runs"));
        }
    }

    private void runs(JsonNode runs) {
        if (runs.isEmpty()) {
            return;
        }
        screen.out().println();
        var table = new Table("RUN", "STATUS", "STARTED", "ENDED", "EXECUTOR", "ERROR");
        runs.forEach(run -> table.row(
                run.path("run").asText(),
                run.path("status").asText(),
                run.path("startedAt").asText("-"),
                run.path("endedAt").asText("-"),
                run.path("executorId").asText("-"),
                JobText.error(run.path("error"))));
        table.print(screen);
    }
}
