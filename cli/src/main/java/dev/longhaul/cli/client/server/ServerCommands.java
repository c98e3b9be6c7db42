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

/** The commands for queues, workers and the server itself. */
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
            Column.of("DURATION", run -> run.path("durationMs").asText() + "ms"));

    private ServerCommands() {}

    public static List<RestCommand> queues() {
        return List.of(
                get(
                                "queues",
                                "/v1/queues",
                                "Lists queues with their job counts, the age of the oldest due job, and pauses.")
                        .shows(QUEUES.list("queues")),
                post("pause", "/v1/queues/{QUEUE}/pause", "Pauses a queue; its running jobs continue.")
                        .arguments(
                                positional("QUEUE", "Queue name."),
                                text("--note", "TEXT", "Reason, shown with the queue.")
                                        .field("note"))
                        .shows(QUEUES.one()),
                post("resume", "/v1/queues/{QUEUE}/resume", "Resumes a paused queue.")
                        .arguments(positional("QUEUE", "Queue name."))
                        .shows(QUEUES.one()));
    }

    public static List<RestCommand> server() {
        return List.of(
                get("workers", "/v1/workers", "Lists the workers.").shows(WORKERS.list("workers")),
                post("tick", "/v1/tick", "Runs one maintenance pass: recovers jobs of dead workers and runs due jobs.")
                        .arguments(number("--max", "N", "Maximum number of jobs to run, 1 to 100. Default: 5.")
                                .field("max"))
                        .shows(ServerCommands::tick),
                get("log-level", "/v1/log-level", "Shows the log level of a server, or changes it until its restart.")
                        .arguments(positional(
                                        "LEVEL",
                                        "error, warn, info or debug; with levels per logger: info,com.example=debug.")
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
                        + report.path("fired").asText() + ", recovered "
                        + report.path("expired").asText() + ", still due "
                        + report.path("waiting").asText());
    }

    private static int logLevel(Call call) {
        Api.Reply reply = call.given("LEVEL")
                ? call.api().send("PUT", call.path(), call.request().toString())
                : call.send();
        call.show(reply, (screen, log) -> screen.out().println(log.path("level").asText()));
        return ExitCode.OK;
    }
}
