package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Groups what can be done with schedules. */
@Command(
        name = "schedules",
        description = "Lists, makes, changes and tries out schedules.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class ScheduleCommands {
    private ScheduleCommands() {}

    static CommandLine group(Screen screen) {
        return new CommandLine(new ScheduleCommands())
                .addSubcommand(new ListSchedules(screen))
                .addSubcommand(new Show(screen))
                .addSubcommand(new Create(screen))
                .addSubcommand(new Edit(screen))
                .addSubcommand(new PauseOne(screen))
                .addSubcommand(new ResumeOne(screen))
                .addSubcommand(new Trigger(screen))
                .addSubcommand(new Backfill(screen))
                .addSubcommand(new Preview(screen))
                .addSubcommand(new Fires(screen))
                .addSubcommand(new Delete(screen));
    }

    /** What all of them share. */
    private abstract static class ScheduleCommand extends Asking {
        ScheduleCommand(Screen screen) {
            super(screen);
        }

        @Override
        void print(JsonNode schedule) {
            table(List.of(schedule)).print(screen);
        }
    }

    /** One that is about a schedule there is. */
    private abstract static class OfOne extends ScheduleCommand {
        @Parameters(paramLabel = "KEY", description = "The schedule.")
        String key = "";

        OfOne(Screen screen) {
            super(screen);
        }

        String path() {
            return "/v1/schedules/" + Api.segment(key);
        }
    }

    private static Table table(Iterable<JsonNode> schedules) {
        var table = new Table("SCHEDULE", "WHEN", "NEXT", "LAST", "RUNS", "DEFINITION").whole(0);
        for (JsonNode schedule : schedules) {
            table.row(
                    schedule.path("key").asText(),
                    ScheduleText.when(schedule),
                    ScheduleText.next(schedule),
                    schedule.hasNonNull("lastRunAt") ? JobText.age(schedule.get("lastRunAt")) + " ago" : "-",
                    schedule.path("runs").asText(),
                    ScheduleText.definition(schedule));
        }
        return table;
    }

    @Command(name = "list", description = "Lists all schedules.", mixinStandardHelpOptions = true)
    private static final class ListSchedules extends ScheduleCommand {
        ListSchedules(Screen screen) {
            super(screen);
        }

        private void warn(JsonNode schedule) {
            if (schedule.hasNonNull("warning")) {
                screen.out()
                        .println(screen.safe("WARN " + schedule.path("key").asText() + ": "
                                + schedule.path("warning").asText()));
            }
        }

        @Override
        public void run() {
            Api api = server.api();
            var all = new ArrayList<JsonNode>();
            String next = null;
            do {
                Api.Reply reply =
                        api.get("/v1/schedules" + new Query().with("limit", 500).with("cursor", next));
                JsonNode page = reply.json();
                if (server.json()) {
                    screen.out().println(reply.body());
                }
                page.path("schedules").forEach(all::add);
                next = page.hasNonNull("nextCursor") ? page.get("nextCursor").asText() : null;
            } while (next != null);
            if (!server.json()) {
                table(all).print(screen);
                all.forEach(this::warn);
            }
            screen.out().flush();
        }
    }

    @Command(
            name = "show",
            description = "Shows a schedule, when it fires next and what it has fired last.",
            mixinStandardHelpOptions = true)
    private static final class Show extends OfOne {
        Show(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            show(server.api().get(path()));
        }

        @Override
        void print(JsonNode schedule) {
            ObjectNode plain = schedule.deepCopy();
            plain.remove(List.of("nextFires", "lastFires"));
            JobText.all(screen, plain);
            screen.out().println();
            times(screen, schedule.path("nextFires"), ScheduleText.zone(schedule));
            screen.out().println();
            fires(schedule.path("lastFires")).print(screen);
        }
    }

    private static void times(Screen screen, JsonNode times, ZoneId zone) {
        var table = new Table("FIRES AT", "").whole(0).whole(1);
        Instant now = Instant.now();
        times.forEach(time -> table.row(time.asText(), ScheduleText.ahead(Instant.parse(time.asText()), zone, now)));
        table.print(screen);
    }

    private static Table fires(JsonNode fires) {
        var table = new Table("FIRED FOR", "BECAUSE", "OUTCOME", "JOB", "STATUS")
                .whole(0)
                .whole(3);
        fires.forEach(fire -> table.row(
                fire.path("fireAt").asText(),
                fire.path("cause").asText(),
                fire.path("outcome").asText(),
                fire.path("jobId").asText("-"),
                fire.path("job").path("status").asText("-")));
        return table;
    }

    /** The options of a schedule to be, or to be changed. */
    private static final class Wishes {
        @Option(names = "--params", paramLabel = "JSON", description = ParamsText.FORMS)
        private @Nullable String params;

        @Option(names = "--name", paramLabel = "TEXT", description = "A name for people.")
        private @Nullable String name;

        @Option(names = "--queue", paramLabel = "QUEUE", description = "Instead of the definition's queue.")
        private @Nullable String queue;

        @Option(names = "--priority", paramLabel = "N", description = "-1000 to 1000, higher first.")
        private @Nullable Integer priority;

        @Option(names = "--attempts", paramLabel = "N", description = "How often each job is tried at most.")
        private @Nullable Integer attempts;

        @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label; may be given several times.")
        private Map<String, String> labels = new LinkedHashMap<>();

        @Mixin
        private ScheduleTimes times = new ScheduleTimes();

        @Option(
                names = "--catch-up",
                paramLabel = "POLICY",
                description = "What was missed while nobody ran: skip, once (usual) or all.")
        private @Nullable String catchUp;

        @Option(names = "--catch-up-max", paramLabel = "N", description = "How many --catch-up all makes up for; 100.")
        private @Nullable Integer catchUpMax;

        @Option(
                names = "--catch-up-window",
                paramLabel = "SPAN",
                converter = Span.class,
                description = "How late a fire may be made up for; 1d.")
        private @Nullable Duration catchUpWindow;

        @Option(
                names = "--overlap",
                paramLabel = "POLICY",
                description = "While an earlier job runs: allow (usual), skip, queue_one or cancel_previous.")
        private @Nullable String overlap;

        void putInto(ObjectNode body) {
            if (params != null) {
                body.putRawValue("params", new RawValue(ParamsText.read(params)));
            }
            Body.text(body, "name", name);
            Body.text(body, "queue", queue);
            Body.number(body, "priority", priority);
            Body.number(body, "maxAttempts", attempts);
            if (!labels.isEmpty()) {
                ObjectNode object = body.putObject("labels");
                labels.forEach(object::put);
            }
            times.putInto(body);
            if (catchUp != null || catchUpMax != null || catchUpWindow != null) {
                ObjectNode object = body.putObject("catchUp");
                Body.text(object, "policy", catchUp);
                Body.number(object, "max", catchUpMax);
                Body.number(object, "windowSeconds", Body.seconds(catchUpWindow));
            }
            Body.text(body, "overlap", overlap);
        }
    }

    @Command(
            name = "create",
            description = {"Makes a schedule.", "Such as: schedules create nightly demo.echo --cron '0 3 * * *'"},
            mixinStandardHelpOptions = true)
    private static final class Create extends OfOne {
        @Parameters(index = "1", paramLabel = "DEFINITION", description = "What its jobs run, such as demo.echo.")
        private String definition = "";

        @Mixin
        private Wishes wishes = new Wishes();

        @Option(names = "--paused", description = "Do not fire until it is resumed.")
        private boolean paused;

        Create(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            ObjectNode body = Api.JSON.createObjectNode().put("key", key);
            Body.definition(body, definition);
            wishes.putInto(body);
            if (paused) {
                body.put("enabled", false);
            }
            show(server.api().post("/v1/schedules", body.toString()));
        }
    }

    @Command(
            name = "edit",
            description = "Changes what is given and leaves the rest as it is.",
            mixinStandardHelpOptions = true)
    private static final class Edit extends OfOne {
        @Option(names = "--definition", paramLabel = "DEFINITION", description = "What its jobs run.")
        private @Nullable String definition;

        @Mixin
        private Wishes wishes = new Wishes();

        Edit(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            ObjectNode body = Api.JSON.createObjectNode();
            Body.definition(body, definition);
            wishes.putInto(body);
            show(server.api().patch(path(), body.toString()));
        }
    }

    @Command(
            name = "pause",
            description = "Stops a schedule from firing; its jobs go on.",
            mixinStandardHelpOptions = true)
    private static final class PauseOne extends OfOne {
        @Option(names = "--note", paramLabel = "TEXT", description = "Why; shown to everybody who looks.")
        private @Nullable String note;

        PauseOne(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            ObjectNode body = Api.JSON.createObjectNode();
            Body.text(body, "note", note);
            show(server.api().post(path() + "/pause", body.toString()));
        }
    }

    @Command(
            name = "resume",
            description = "Lets a schedule fire again; what it missed meanwhile is not made up for.",
            mixinStandardHelpOptions = true)
    private static final class ResumeOne extends OfOne {
        ResumeOne(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            show(server.api().post(path() + "/resume", null));
        }
    }

    @Command(
            name = "trigger",
            description = "Makes a job of a schedule now and prints its id.",
            mixinStandardHelpOptions = true)
    private static final class Trigger extends OfOne {
        Trigger(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            show(server.api().post(path() + "/trigger", null));
        }

        @Override
        void print(JsonNode fire) {
            screen.out().println(fire.path("jobId").asText());
            screen.out().flush();
        }
    }

    @Command(
            name = "backfill",
            description = "Makes the jobs of past fire times that have not fired; they run one second apart.",
            mixinStandardHelpOptions = true)
    private static final class Backfill extends OfOne {
        @Option(names = "--from", required = true, paramLabel = "TIME", description = "The earliest fire time.")
        private String from = "";

        @Option(names = "--to", required = true, paramLabel = "TIME", description = "The latest fire time.")
        private String to = "";

        Backfill(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            ObjectNode body = Api.JSON.createObjectNode().put("from", from).put("to", to);
            show(server.api().post(path() + "/backfill", body.toString()));
        }

        @Override
        void print(JsonNode answer) {
            fires(answer.path("fires")).print(screen);
        }
    }

    @Command(
            name = "preview",
            description = "Shows when a schedule fires next, or when one would with these options.",
            mixinStandardHelpOptions = true)
    private static final class Preview extends ScheduleCommand {
        @Parameters(paramLabel = "KEY", arity = "0..1", description = "A schedule that there is.")
        private @Nullable String key;

        @Mixin
        private ScheduleTimes times = new ScheduleTimes();

        @Option(names = "--count", paramLabel = "N", description = "How many times; 10 if not given.")
        private @Nullable Integer count;

        Preview(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            Api api = server.api();
            if (key == null ? !times.given() : times.anyGiven()) {
                throw ServerOptions.bad(
                        "KEY",
                        key == null ? "none" : key + " and times",
                        "a schedule, or one of --cron, --every and --at");
            }
            ObjectNode body = Api.JSON.createObjectNode();
            Body.number(body, "count", count);
            times.putInto(body);
            Api.Reply reply = key == null
                    ? api.post("/v1/schedules/preview", body.toString())
                    : api.get("/v1/schedules/" + Api.segment(key) + "/preview" + new Query().with("count", count));
            if (server.json()) {
                show(reply);
                return;
            }
            JsonNode of = key == null
                    ? body
                    : api.get("/v1/schedules/" + Api.segment(key)).json();
            screen.out().println(reply.json().path("description").asText());
            times(screen, reply.json().path("fires"), ScheduleText.zone(of));
        }
    }

    @Command(
            name = "jobs",
            description = "Lists what a schedule has fired, latest first, with its jobs.",
            mixinStandardHelpOptions = true)
    private static final class Fires extends OfOne {
        @Option(names = "--limit", paramLabel = "N", description = "1 to 500; 50 if not given.")
        private @Nullable Integer limit;

        @Option(
                names = "--cursor",
                paramLabel = "CURSOR",
                description = "The page after the one that named this cursor.")
        private @Nullable String cursor;

        Fires(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            show(server.api()
                    .get(path() + "/jobs" + new Query().with("limit", limit).with("cursor", cursor)));
        }

        @Override
        void print(JsonNode page) {
            fires(page.path("fires")).print(screen);
            more(page);
        }
    }

    @Command(
            name = "delete",
            description = "Removes a schedule and what is known of its fires; its jobs stay.",
            mixinStandardHelpOptions = true)
    private static final class Delete extends OfOne {
        Delete(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            server.api().delete(path());
            if (!server.json()) {
                screen.out().println(key + " deleted");
                screen.out().flush();
            }
        }
    }
}
