package dev.longhaul.cli.client.server;

import static dev.longhaul.cli.client.Argument.number;
import static dev.longhaul.cli.client.Argument.positional;
import static dev.longhaul.cli.client.Argument.text;
import static dev.longhaul.cli.client.RestCommand.get;
import static dev.longhaul.cli.client.RestCommand.post;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.ResponseText;
import dev.longhaul.cli.client.RestCommand;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.Span;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.ExitCode;

/** The commands about queues, workers and the server itself. */
public final class ServerCommands {
    private static final Table QUEUES = new Table(
            Column.of("QUEUE", "name").uncut(),
            count("QUEUED", "queued"),
            Column.of("OLDEST", ServerCommands::oldest),
            count("SCHEDULED", "scheduled"),
            count("RETRYING", "retrying"),
            Column.of("RUNNING", "running"),
            count("FAILED", "failed"),
            Column.orDash("LIMIT", "maxDepth"),
            Column.of("PAUSED", ServerCommands::paused));

    private static final Table WORKERS = new Table(
            Column.of("WORKER", "workerId").uncut(),
            Column.of("STATE", "state"),
            Column.of("HOST", "host"),
            Column.of("PID", "pid"),
            Column.of(
                    "RUNNING",
                    worker -> worker.path("running").asText() + "/"
                            + worker.path("slots").asText()),
            Column.of("QUEUES", worker -> ResponseText.joined(worker.path("queues"))),
            Column.of("VERSION", "version"),
            Column.age("SEEN", "lastSeenAt"));

    private static final Table EXECUTED = new Table(
            Column.of("JOB", "jobId").uncut(),
            Column.of(
                    "OUTCOME",
                    run -> run.path("success").asBoolean() ? "succeeded" : ResponseText.error(run.path("error"))),
            Column.of("TOOK", run -> run.path("durationMs").asText() + "ms"));

    private ServerCommands() {}

    public static List<RestCommand> queues() {
        return List.of(
                get(
                                "queues",
                                "/v1/queues",
                                "Lists the queues: how many jobs wait and run, since when, and what is paused.")
                        .shows(QUEUES.list("queues")),
                post("pause", "/v1/queues/{QUEUE}/pause", "Stops a queue from handing out jobs; those that run go on.")
                        .arguments(
                                positional("QUEUE", "The queue."),
                                text("--note", "TEXT", "Why; shown to everybody who looks.")
                                        .field("note"))
                        .shows(QUEUES.one()),
                post("resume", "/v1/queues/{QUEUE}/resume", "Lets a paused queue go on.")
                        .arguments(positional("QUEUE", "The queue."))
                        .shows(QUEUES.one()));
    }

    public static List<RestCommand> server() {
        return List.of(
                get("workers", "/v1/workers", "Lists the processes that run jobs.")
                        .shows(WORKERS.list("workers")),
                post(
                                "tick",
                                "/v1/tick",
                                "Has the server free jobs of dead workers and run a few that are due, then says which.")
                        .arguments(number("--max", "N", "How many jobs at most, 1 to 100; 5 if not given.")
                                .field("max"))
                        .shows(ServerCommands::tick),
                get("log-level", "/v1/log-level", "Shows how much a server logs, or changes it until it ends.")
                        .arguments(positional(
                                        "LEVEL",
                                        "error, warn, info or debug; of your own code as in info,com.example=debug.")
                                .optional()
                                .field("level"))
                        .runs(ServerCommands::logLevel));
    }

    private static Column count(String title, String status) {
        return Column.of(title, queue -> queue.path("counts").path(status).asText());
    }

    private static String oldest(JsonNode queue) {
        return queue.hasNonNull("oldestDueSeconds")
                ? Span.about(Duration.ofSeconds(queue.get("oldestDueSeconds").asLong()))
                : "-";
    }

    private static String paused(JsonNode queue) {
        JsonNode pause = queue.path("pause");
        return queue.path("paused").asBoolean()
                ? "for " + ResponseText.age(pause.path("since")) + ResponseText.pause(pause)
                : "no";
    }

    private static void tick(Screen screen, JsonNode report) {
        JsonNode executed = report.path("executed");
        if (!executed.isEmpty()) {
            EXECUTED.print(screen, executed);
        }
        screen.out()
                .println("ran " + executed.size() + ", fired "
                        + report.path("fired").asText() + ", freed "
                        + report.path("expired").asText() + ", left waiting "
                        + report.path("waiting").asText());
    }

    private static int logLevel(Call call) {
        Api.Reply reply = call.given("LEVEL")
                ? call.api().send("PUT", call.path(), call.request().toString())
                : call.send();
        call.show(
                reply,
                (screen, answer) -> screen.out().println(answer.path("level").asText()));
        return ExitCode.OK;
    }
}
