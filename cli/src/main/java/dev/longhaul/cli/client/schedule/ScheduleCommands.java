package dev.longhaul.cli.client.schedule;

import static dev.longhaul.cli.client.Argument.flag;
import static dev.longhaul.cli.client.Argument.number;
import static dev.longhaul.cli.client.Argument.positional;
import static dev.longhaul.cli.client.Argument.span;
import static dev.longhaul.cli.client.Argument.text;
import static dev.longhaul.cli.client.Argument.texts;
import static dev.longhaul.cli.client.RestCommand.delete;
import static dev.longhaul.cli.client.RestCommand.get;
import static dev.longhaul.cli.client.RestCommand.patch;
import static dev.longhaul.cli.client.RestCommand.post;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Argument;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.Query;
import dev.longhaul.cli.client.ResponseText;
import dev.longhaul.cli.client.RestCommand;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import dev.longhaul.cli.client.job.JobArguments;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** The commands about schedules. */
public final class ScheduleCommands {
    private static final String NONE = "none";
    private static final int LARGEST_PAGE = 500;
    private static final String ONE = "/v1/schedules/{KEY}";

    private static final Table SCHEDULES = new Table(
            Column.of("SCHEDULE", "key").uncut(),
            Column.of("WHEN", ScheduleText::when),
            Column.of("NEXT", ScheduleText::next),
            Column.of(
                    "LAST", one -> one.hasNonNull("lastRunAt") ? ResponseText.age(one.get("lastRunAt")) + " ago" : "-"),
            Column.of("RUNS", "runs"),
            Column.of("DEFINITION", ResponseText::definition));

    private static final Table FIRES = new Table(
            Column.of("FIRED FOR", "fireAt").uncut(),
            Column.of("BECAUSE", "cause"),
            Column.of("OUTCOME", "outcome"),
            Column.orDash("JOB", "jobId").uncut(),
            Column.of("STATUS", fire -> fire.path("job").path("status").asText("-")));

    private static final Argument<String> KEY = positional("KEY", "The schedule.");

    private static final String[] TIME_OPTIONS = {
        "--cron", "--zone", "--dst", "--every", "--at", "--start", "--end", "--max-runs", "--jitter"
    };

    /** When a schedule fires. */
    private static final List<Argument<?>> TIMES = List.of(
            text("--cron", "EXPRESSION", "Such as '0 3 * * MON-FRI' or @daily.").field("cron"),
            text("--zone", "ZONE", "The time zone of --cron, such as Europe/Berlin; UTC.")
                    .field("timeZone"),
            text("--dst", "RULE", "Times that the clocks leave out: run (usual) or skip.")
                    .field("dst"),
            span("--every", "Every 90s, 5m, 2h, 7d, counted from its start.").field("everySeconds"),
            texts("--at", "TIME", "At that time; may be given several times.").field("at"),
            text("--start", "TIME", "No fire before; none takes the limit away.")
                    .puts((schedule, time) -> schedule.put("startAt", time.equals(NONE) ? null : time)),
            text("--end", "TIME", "No fire after; none takes the limit away.")
                    .puts((schedule, time) -> schedule.put("endAt", time.equals(NONE) ? null : time)),
            text("--max-runs", "N", "No fire after that many; none takes the limit away.")
                    .puts((schedule, count) -> schedule.put("maxRuns", count.equals(NONE) ? null : maxRuns(count))),
            span("--jitter", "Each job runs up to that much later.").field("jitterSeconds"));

    /** All of a schedule but its key and its definition. */
    private static final List<Argument<?>> OPTIONS = List.of(
            JobArguments.PARAMS,
            JobArguments.NAME,
            JobArguments.QUEUE,
            JobArguments.PRIORITY,
            number("--attempts", "N", "How often each job is tried at most.").field("maxAttempts"),
            JobArguments.LABELS,
            text("--catch-up", "POLICY", "What was missed while nobody ran: skip, once (usual) or all.")
                    .field("catchUp.policy"),
            number("--catch-up-max", "N", "How many --catch-up all makes up for; 100.")
                    .field("catchUp.max"),
            span("--catch-up-window", "How late a fire may be made up for; 1d.").field("catchUp.windowSeconds"),
            text("--overlap", "POLICY", "While an earlier job runs: allow (usual), skip, queue_one or cancel_previous.")
                    .field("overlap"));

    private ScheduleCommands() {}

    public static CommandLine group(Screen screen) {
        return RestCommand.group(
                screen,
                "schedules",
                List.of("Lists, makes, changes and tries out schedules."),
                get("list", "/v1/schedules", "Lists all schedules.").runs(ScheduleCommands::list),
                get("show", ONE, "Shows a schedule, when it fires next and what it has fired last.")
                        .arguments(KEY)
                        .shows(ScheduleCommands::details),
                post(
                                "create",
                                "/v1/schedules",
                                "Makes a schedule.",
                                "Such as: schedules create nightly demo.echo --cron '0 3 * * *'")
                        .arguments(
                                positional("KEY", "The schedule.").field("key"),
                                positional("DEFINITION", "What its jobs run, such as demo.echo.")
                                        .puts(JobArguments::putDefinition),
                                flag("--paused", "Do not fire until it is resumed.")
                                        .puts((schedule, paused) -> schedule.put("enabled", false)))
                        .arguments(OPTIONS)
                        .arguments(TIMES)
                        .shows(SCHEDULES.one()),
                patch("edit", ONE, "Changes what is given and leaves the rest as it is.")
                        .arguments(
                                KEY,
                                text("--definition", "DEFINITION", "What its jobs run.")
                                        .puts(JobArguments::putDefinition))
                        .arguments(OPTIONS)
                        .arguments(TIMES)
                        .shows(SCHEDULES.one()),
                post("pause", ONE + "/pause", "Stops a schedule from firing; its jobs go on.")
                        .arguments(
                                KEY,
                                text("--note", "TEXT", "Why; shown to everybody who looks.")
                                        .field("note"))
                        .shows(SCHEDULES.one()),
                post(
                                "resume",
                                ONE + "/resume",
                                "Lets a schedule fire again; what it missed meanwhile is not made up for.")
                        .arguments(KEY)
                        .shows(SCHEDULES.one()),
                post("trigger", ONE + "/trigger", "Makes a job of a schedule now and prints its id.")
                        .arguments(KEY)
                        .shows((out, fire) ->
                                out.out().println(fire.path("jobId").asText())),
                post(
                                "backfill",
                                ONE + "/backfill",
                                "Makes the jobs of past fire times that have not fired; they run one second apart.")
                        .arguments(
                                KEY,
                                text("--from", "TIME", "The earliest fire time.")
                                        .required()
                                        .field("from"),
                                text("--to", "TIME", "The latest fire time.")
                                        .required()
                                        .field("to"))
                        .shows(FIRES.list("fires")),
                post(
                                "preview",
                                "/v1/schedules/preview",
                                "Shows when a schedule fires next, or when one would with these options.")
                        .arguments(
                                positional("KEY", "A schedule that there is.").optional(),
                                number("--count", "N", "How many times; 10 if not given.")
                                        .field("count"))
                        .arguments(TIMES)
                        .runs(ScheduleCommands::preview),
                get("jobs", ONE + "/jobs", "Lists what a schedule has fired, latest first, with its jobs.")
                        .arguments(
                                KEY,
                                number("--limit", "N", "1 to 500; 50 if not given.")
                                        .field("limit"),
                                text("--cursor", "CURSOR", "The page after the one that named this cursor.")
                                        .field("cursor"))
                        .shows(FIRES.list("fires")),
                delete("delete", ONE, "Removes a schedule and what is known of its fires; its jobs stay.")
                        .arguments(KEY)
                        .runs(call -> call.deleted("KEY")));
    }

    private static Integer maxRuns(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException e) {
            throw ServerOptions.bad("--max-runs", text, "a number, or none");
        }
    }

    private static int list(Call call) {
        List<JsonNode> all = new ArrayList<>();
        ObjectNode query = call.request().put("limit", LARGEST_PAGE);
        call.api().pages(call.path(), query, Integer.MAX_VALUE, (reply, page) -> {
            if (call.json()) {
                call.screen().out().println(reply.body());
            } else {
                page.path("schedules").forEach(all::add);
            }
        });
        if (!call.json()) {
            SCHEDULES.print(call.screen(), all);
            all.stream()
                    .filter(schedule -> schedule.hasNonNull("warning"))
                    .forEach(schedule -> warn(call.screen(), schedule));
        }
        return ExitCode.OK;
    }

    private static void warn(Screen screen, JsonNode schedule) {
        screen.out()
                .println(screen.safe("WARN " + schedule.path("key").asText() + ": "
                        + schedule.path("warning").asText()));
    }

    private static void details(Screen screen, JsonNode schedule) {
        ObjectNode plain = schedule.deepCopy();
        plain.remove(List.of("nextFires", "lastFires"));
        ResponseText.fields(screen, plain);
        screen.out().println();
        printTimes(screen, schedule.path("nextFires"), ScheduleText.zone(schedule));
        screen.out().println();
        FIRES.print(screen, schedule.path("lastFires"));
    }

    private static void printTimes(Screen screen, JsonNode times, ZoneId zone) {
        Instant now = Instant.now();
        new Table(
                        Column.of("FIRES AT", JsonNode::asText).uncut(),
                        Column.of("", time -> ScheduleText.ahead(Instant.parse(time.asText()), zone, now))
                                .uncut())
                .print(screen, times);
    }

    /** Of a schedule that exists, or of times that are not stored. */
    private static int preview(Call call) {
        String key = call.text("KEY");
        if (key == null ? !call.given("--cron", "--every", "--at") : call.given(TIME_OPTIONS)) {
            throw ServerOptions.bad(
                    "KEY", key == null ? NONE : key + " and times", "a schedule, or one of --cron, --every and --at");
        }
        String one = "/v1/schedules/" + Api.segment(key == null ? "" : key);
        Api.Reply reply = key == null ? call.send() : call.api().get(one + "/preview" + Query.of(call.request()));
        call.show(reply, (screen, preview) -> {
            JsonNode schedule =
                    key == null ? call.request() : call.api().get(one).json();
            screen.out().println(preview.path("description").asText());
            printTimes(screen, preview.path("fires"), ScheduleText.zone(schedule));
        });
        return ExitCode.OK;
    }
}
