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
import dev.longhaul.cli.client.Style;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import dev.longhaul.cli.client.job.JobArguments;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** The commands for schedules. */
public final class ScheduleCommands {
    private static final String NONE = "none";
    private static final int LARGEST_PAGE = 500;
    private static final String ONE = "/v1/schedules/{SCHEDULE}";

    private static final Table SCHEDULES = new Table(
                    Column.id("SCHEDULE", "key"),
                    Column.of("WHEN", ScheduleText::when).text(),
                    Column.of("NEXT", ScheduleText::next).text(),
                    Column.time("LAST", "lastRunAt"),
                    Column.number("RUNS", "runs"),
                    Column.of("DEFINITION", ResponseText::definition))
            .optional("RUNS", "LAST", "DEFINITION");

    private static final Table FIRES = new Table(
                    Column.of("FIRED FOR", "fireAt").uncut(),
                    Column.of("CAUSE", "cause"),
                    Column.of("OUTCOME", "outcome"),
                    Column.id("JOB", "jobId"),
                    Column.of("STATUS", fire -> fire.path("job").path("status").asText("-"))
                            .uncut()
                            .styled(Style::ofStatus))
            .optional("CAUSE", "OUTCOME");

    private static final Argument<String> KEY = positional("SCHEDULE", "Schedule key.");

    private static final String[] TIME_OPTIONS = {
        "--cron", "--zone", "--dst", "--every", "--at", "--start", "--end", "--max-runs", "--jitter"
    };

    /** Options that set the fire times of a schedule. */
    private static final List<Argument<?>> TIMES = List.of(
            text("--cron", "EXPRESSION", "Cron expression, e.g. '0 3 * * MON-FRI' or @daily.")
                    .field("cron"),
            text("--zone", "ZONE", "Time zone of --cron, e.g. Europe/Berlin. Default: UTC.")
                    .field("timeZone"),
            text("--dst", "RULE", "Times skipped by a clock change: run (default) or skip.")
                    .field("dst"),
            span("--every", "Interval from the start time, e.g. 90s, 5m, 2h, 7d.")
                    .field("everySeconds"),
            texts("--at", "TIME", "Fire time; repeatable.").field("at"),
            text("--start", "TIME", "Earliest fire time; none removes the limit.")
                    .puts((schedule, time) -> schedule.put("startAt", time.equals(NONE) ? null : time)),
            text("--end", "TIME", "Latest fire time; none removes the limit.")
                    .puts((schedule, time) -> schedule.put("endAt", time.equals(NONE) ? null : time)),
            text("--max-runs", "N", "Maximum number of fires; none removes the limit.")
                    .puts((schedule, count) -> schedule.put("maxRuns", count.equals(NONE) ? null : maxRuns(count))),
            span("--jitter", "Random delay of each job, up to this time.").field("jitterSeconds"));

    /** Options of a schedule except the fire times, the key and the definition. */
    private static final List<Argument<?>> OPTIONS = List.of(
            JobArguments.PARAMS,
            JobArguments.NAME,
            JobArguments.QUEUE,
            JobArguments.PRIORITY,
            number("--attempts", "N", "Maximum number of attempts per job.").field("maxAttempts"),
            JobArguments.LABELS,
            text("--catch-up", "POLICY", "Fires missed during downtime: skip, once (default) or all.")
                    .field("catchUp.policy"),
            number("--catch-up-max", "N", "Maximum number of fires for --catch-up all. Default: 100.")
                    .field("catchUp.max"),
            span("--catch-up-window", "Maximum age of a fire to catch up. Default: 1d.")
                    .field("catchUp.windowSeconds"),
            text(
                            "--overlap",
                            "POLICY",
                            "If an earlier job has not ended: allow (default), skip, queue_one or cancel_previous.")
                    .field("overlap"));

    private ScheduleCommands() {}

    public static CommandLine group(Screen screen) {
        return RestCommand.group(
                screen,
                "schedules",
                List.of("Lists, creates, changes and tests schedules."),
                get("list", "/v1/schedules", "Lists all schedules.").runs(ScheduleCommands::list),
                get("show", ONE, "Shows a schedule, its next fire times and its latest fires.")
                        .arguments(KEY)
                        .shows(ScheduleCommands::details),
                post(
                                "create",
                                "/v1/schedules",
                                "Creates a schedule.",
                                "Example: schedules create nightly demo.echo --cron '0 3 * * *'")
                        .arguments(
                                positional("SCHEDULE", "Schedule key.").field("key"),
                                positional("DEFINITION", "Definition of its jobs, e.g. demo.echo.")
                                        .puts(JobArguments::putDefinition),
                                flag("--paused", "Create it paused: it does not fire until resumed.")
                                        .puts((schedule, paused) -> schedule.put("enabled", false)))
                        .arguments(OPTIONS)
                        .arguments(TIMES)
                        .shows(SCHEDULES.one()),
                patch("edit", ONE, "Changes the given options of a schedule and keeps the others.")
                        .arguments(
                                KEY,
                                text("--definition", "DEFINITION", "Definition of its jobs.")
                                        .puts(JobArguments::putDefinition))
                        .arguments(OPTIONS)
                        .arguments(TIMES)
                        .shows(SCHEDULES.one()),
                post("pause", ONE + "/pause", "Pauses a schedule: it does not fire; its existing jobs continue.")
                        .arguments(
                                KEY,
                                text("--note", "TEXT", "Reason, shown with the schedule.")
                                        .field("note"))
                        .shows(SCHEDULES.one()),
                post("resume", ONE + "/resume", "Resumes a schedule; fires missed during the pause are not caught up.")
                        .arguments(KEY)
                        .shows(SCHEDULES.one()),
                post("trigger", ONE + "/trigger", "Creates a job of a schedule now and prints its id.")
                        .arguments(KEY)
                        .shows((out, fire) ->
                                out.out().println(fire.path("jobId").asText())),
                post(
                                "backfill",
                                ONE + "/backfill",
                                "Creates the jobs of past fire times that have not fired; they run one second apart.")
                        .arguments(
                                KEY,
                                text("--from", "TIME", "Earliest fire time.")
                                        .required()
                                        .field("from"),
                                text("--to", "TIME", "Latest fire time.")
                                        .required()
                                        .field("to"))
                        .shows(FIRES.list("fires")),
                post(
                                "preview",
                                "/v1/schedules/preview",
                                "Shows the next fire times of a schedule, or of the given options.")
                        .arguments(
                                positional("SCHEDULE", "Key of an existing schedule.")
                                        .optional(),
                                number("--count", "N", "Number of fire times. Default: 10.")
                                        .field("count"))
                        .arguments(TIMES)
                        .runs(ScheduleCommands::preview),
                get("jobs", ONE + "/jobs", "Lists the fires of a schedule with their jobs, latest first.")
                        .arguments(
                                KEY,
                                number("--limit", "N", "Fires per page, 1 to 500. Default: 50.")
                                        .field("limit"),
                                text("--cursor", "CURSOR", "Cursor of the page, as printed with the previous page.")
                                        .field("cursor"))
                        .shows(FIRES.list("fires")),
                delete("delete", ONE, "Deletes a schedule and its fire history; its jobs are kept.")
                        .arguments(KEY)
                        .runs(call -> call.deleted("SCHEDULE")));
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

    /** Prints the next fire times of an existing schedule, or of times that are not stored. */
    private static int preview(Call call) {
        String key = call.text("SCHEDULE");
        if (key == null ? !call.given("--cron", "--every", "--at") : call.given(TIME_OPTIONS)) {
            throw ServerOptions.bad(
                    "SCHEDULE", key == null ? NONE : key + " and times", "a key, or one of --cron, --every and --at");
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
