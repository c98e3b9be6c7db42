package dev.longhaul.cli.client.server;

import static dev.longhaul.cli.client.Argument.flag;
import static dev.longhaul.cli.client.Argument.number;
import static dev.longhaul.cli.client.Argument.positional;
import static dev.longhaul.cli.client.Argument.text;
import static dev.longhaul.cli.client.RestCommand.get;
import static dev.longhaul.cli.client.RestCommand.post;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.DurationOption;
import dev.longhaul.cli.client.Json;
import dev.longhaul.cli.client.KnownNames;
import dev.longhaul.cli.client.NearestName;
import dev.longhaul.cli.client.ResponseText;
import dev.longhaul.cli.client.RestCommand;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.Style;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.ExitCode;

/** The commands for queues, workers and the server itself. */
public final class ServerCommands {
    private static final Table QUEUES = new Table(
                    Column.id("QUEUE", "name"),
                    count("QUEUED", "queued"),
                    Column.number("OLDEST", ServerCommands::oldest),
                    count("SCHEDULED", "scheduled"),
                    count("RETRYING", "retrying"),
                    Column.number("RUNNING", "running"),
                    count("FAILED", "failed").styled(count -> count.equals("0") ? Style.PLAIN : Style.RED),
                    Column.number("LIMIT", "maxDepth"),
                    Column.of("PAUSED", ServerCommands::paused).text().styled(paused -> Style.YELLOW))
            .optional("LIMIT", "PAUSED", "SCHEDULED", "RETRYING");

    private static final Table WORKERS = new Table(
                    Column.id("WORKER", "workerId"),
                    Column.status("STATE", "state"),
                    Column.of("HOST", "host"),
                    Column.number("PID", "pid"),
                    Column.number(
                            "RUNNING",
                            worker -> worker.path("running").asText() + "/"
                                    + worker.path("slots").asText()),
                    Column.of("QUEUES", worker -> ResponseText.joined(worker.path("queues")))
                            .text(),
                    Column.of("VERSION", "version"),
                    Column.time("SEEN", "lastSeenAt"))
            .optional("VERSION", "PID", "QUEUES", "HOST", "SEEN");

    private static final Table DEFINITIONS = new Table(
                    Column.of("DEFINITION", ResponseText::definition).uncut(),
                    Column.of("QUEUE", "queue"),
                    Column.number("ATTEMPTS", "maxAttempts"),
                    Column.number(
                            "TIMEOUT",
                            one -> DurationOption.about(Duration.ofSeconds(
                                    one.path("timeoutSeconds").asLong()))),
                    Column.number(
                            "LIMIT",
                            one -> one.path("concurrencyLimit").asText().replaceFirst("^0$", "-")),
                    Column.orDash("SOURCE", "source"),
                    Column.orDash("REGISTERED BY", "registeredBy"),
                    Column.time("UPDATED", "updatedAt"))
            .optional("UPDATED", "REGISTERED BY", "SOURCE", "LIMIT");

    private static final Table EXECUTED = new Table(
            Column.id("JOB", "jobId"),
            Column.of(
                    "OUTCOME",
                    run -> run.path("success").asBoolean() ? "succeeded" : ResponseText.error(run.path("error"))),
            Column.number("DURATION", run -> run.path("durationMs").asText() + "ms"));

    private ServerCommands() {}

    public static List<RestCommand> queues() {
        return List.of(
                get(
                                "queues",
                                "/v1/queues",
                                "Lists queues with their job counts, the age of the oldest due job, and pauses.")
                        .repeatable()
                        .shows(QUEUES.list("queues")),
                post("pause", "/v1/queues/{QUEUE}/pause", "Pauses a queue; its running jobs continue.")
                        .arguments(
                                positional("QUEUE", "Queue name."),
                                text("--note", "TEXT", "Reason, shown with the queue.")
                                        .field("note"),
                                flag("--new", "Pause it even if no job, worker or definition has this queue yet."))
                        .runs(call ->
                                call.flag("--new") ? send(call) : change(call, ", or add --new to pause it anyway")),
                post("resume", "/v1/queues/{QUEUE}/resume", "Resumes a paused queue.")
                        .arguments(positional("QUEUE", "Queue name."))
                        .runs(call -> change(call, "")),
                get("definitions", "/v1/definitions", "Lists the definitions of jobs, or shows one with its schemas.")
                        .arguments(positional("DEFINITION", "Definition, e.g. demo.echo or demo.echo@1.")
                                .optional())
                        .runs(ServerCommands::definitions));
    }

    public static List<RestCommand> server() {
        return List.of(
                get("workers", "/v1/workers", "Lists the workers.").repeatable().shows(WORKERS.list("workers")),
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

    /**
     * Pauses or resumes a queue. Checks first that the queue exists, because the server accepts any name.
     *
     * @param otherwise what the caller can do besides correcting the name
     */
    private static int change(Call call, String otherwise) {
        String queue = call.required("QUEUE");
        Set<String> known = KnownNames.queues(call.api());
        if (!known.isEmpty() && !known.contains(queue)) {
            String nearest = NearestName.of(queue, known);
            throw new LonghaulException(
                    ErrorCode.NOT_FOUND,
                    "there is no queue " + Screen.withoutControls(queue)
                            + (nearest == null
                                    ? "; longhaul queues lists them" + otherwise
                                    : "; did you mean " + nearest + "?"));
        }
        return send(call);
    }

    private static int send(Call call) {
        call.show(call.send(), QUEUES.one());
        return ExitCode.OK;
    }

    private static int definitions(Call call) {
        String key = call.text("DEFINITION");
        Api.Reply reply = key == null ? call.send() : call.api().get(call.path() + "/" + Api.segment(key));
        call.show(reply, key == null ? DEFINITIONS.list("definitions") : ServerCommands::printDefinitions);
        return ExitCode.OK;
    }

    private static void printDefinitions(Screen screen, JsonNode page) {
        String separator = "";
        for (JsonNode definition : page.path("definitions")) {
            screen.out().print(separator);
            ObjectNode shown = definition.deepCopy();
            for (String schema : List.of("paramsSchema", "resultSchema")) {
                if (shown.has(schema)) {
                    shown.put(schema, shown.get(schema).toPrettyString());
                }
            }
            ResponseText.fields(screen, shown);
            separator = System.lineSeparator();
        }
    }

    private static Column count(String title, String status) {
        return Column.number(title, queue -> queue.path("counts").path(status).asText());
    }

    private static String oldest(JsonNode queue) {
        return queue.hasNonNull("oldestDueSeconds")
                ? DurationOption.about(
                        Duration.ofSeconds(queue.get("oldestDueSeconds").asLong()))
                : "-";
    }

    private static String paused(JsonNode queue) {
        JsonNode pause = queue.path("pause");
        return queue.path("paused").asBoolean()
                ? "for " + ResponseText.age(pause.path("since")) + ResponseText.pause(pause)
                : "-";
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
        Api.Reply reply =
                call.given("LEVEL") ? call.api().send("PUT", call.path(), Json.write(call.request())) : call.send();
        call.show(reply, (screen, log) -> screen.out().println(log.path("level").asText()));
        return ExitCode.OK;
    }
}
