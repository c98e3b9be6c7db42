package dev.longhaul.cli.client.job;

import static dev.longhaul.cli.client.Argument.flag;
import static dev.longhaul.cli.client.Argument.labels;
import static dev.longhaul.cli.client.Argument.number;
import static dev.longhaul.cli.client.Argument.positional;
import static dev.longhaul.cli.client.Argument.positionals;
import static dev.longhaul.cli.client.Argument.span;
import static dev.longhaul.cli.client.Argument.text;
import static dev.longhaul.cli.client.Argument.texts;
import static dev.longhaul.cli.client.RestCommand.get;
import static dev.longhaul.cli.client.RestCommand.post;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Argument;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.ResponseText;
import dev.longhaul.cli.client.RestCommand;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.SecretFile;
import dev.longhaul.cli.client.Span;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import dev.longhaul.error.LonghaulException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.TypeConversionException;

/** The commands about jobs. */
public final class JobCommands {
    private static final int LARGEST_PAGE = 500;

    private static final Argument<String> ID = positional("ID", "The job.");

    private static final Table JOBS = new Table(
                    Column.of("JOB", "jobId").uncut(),
                    Column.of("STATUS", "status").uncut(),
                    Column.of("DEFINITION", ResponseText::definition),
                    Column.of("QUEUE", "queue"),
                    Column.age("AGE", "createdAt"),
                    Column.of("PROGRESS", ResponseText::progress),
                    Column.of("NAME", "name"))
            .optional(5, 3, 6, 4);

    private static final Table RUNS = new Table(
            Column.of("RUN", "run"),
            Column.of("STATUS", "status"),
            Column.orDash("STARTED", "startedAt"),
            Column.orDash("ENDED", "endedAt"),
            Column.orDash("EXECUTOR", "executorId"),
            Column.of("ERROR", run -> ResponseText.error(run.path("error"))));

    private JobCommands() {}

    public static List<RestCommand> all() {
        return List.of(
                submit(),
                get("get", "/v1/jobs/{ID}", "Shows a job.")
                        .arguments(
                                ID,
                                flag("--full", "With params, stack and lease, and its runs; needs the role operator.")
                                        .puts((query, full) -> query.put("view", "full")))
                        .runs(JobCommands::show),
                list(),
                get(
                                "watch",
                                "/v1/jobs/{ID}/events",
                                "Shows a job's progress and log lines until it has ended; with --json its events, a line each.",
                                "Exit code: 0 succeeded, 10 failed, 11 cancelled, 12 still going when interrupted or out of time.")
                        .arguments(ID, span("--timeout", "Leave after that long (exit code 12)."))
                        .runs(call ->
                                new Watching(call).watch(call.required("ID"), new Deadline(call.span("--timeout")))),
                get("logs", "/v1/jobs/{ID}/log", "Prints what a job's code has written to its log.")
                        .arguments(
                                ID,
                                flag(
                                        "-f --follow",
                                        "Go on until the job has ended; interrupted before that, the exit code is 12."),
                                number("--run", "N", "Only that run's.").field("run"),
                                number("--tail", "N", "Only the last lines.").field("tail"),
                                flag("--timestamps", "With the time of each line.")
                                        .field("timestamps"))
                        .runs(call -> new Logs(call).print()),
                get(
                                "failures",
                                "/v1/jobs",
                                "Shows the jobs that failed in the last 24 hours, grouped by definition and error.")
                        .arguments(span("--since", "How far back to look; 24h if not given."))
                        .runs(RecentFailures::show),
                step("cancel", "cancel", "Cancels jobs: those that wait end at once, those that run are told to.")
                        .arguments(
                                text("--reason", "TEXT", "Why; kept with the job.")
                                        .field("reason"),
                                span("--grace", "How long running code may take to end by itself.")
                                        .field("graceSeconds")),
                step("retry", "retry", "Starts failed or cancelled jobs over, with all their attempts."),
                step("hold", "hold", "Holds waiting jobs: they do not run until they are released."),
                step("release", "release", "Releases held jobs: they run when they are due."),
                step("run-now", "runNow", "Makes scheduled or retrying jobs due now."));
    }

    private static RestCommand submit() {
        return post(
                        "submit",
                        "/v1/jobs",
                        "Asks for a job and prints its id.",
                        "With --wait or --follow it stays until the job has ended; exit code: 0 succeeded, 10 failed, 11 cancelled, 12 still going.")
                .arguments(
                        positional("KEY", "The definition, such as demo.echo; key@2 asks for version 2.")
                                .puts(JobArguments::putDefinition),
                        JobArguments.PARAMS,
                        JobArguments.NAME,
                        JobArguments.QUEUE,
                        JobArguments.PRIORITY,
                        text("--run-at", "TIME", "Not before, such as 2031-05-01T06:00:00Z.")
                                .field("runAt"),
                        span("--delay", "Not before 90s, 5m, 2h, 7d.").field("delaySeconds"),
                        number("--attempts", "N", "How often it is tried at most.")
                                .field("maxAttempts"),
                        span("--timeout", "How long one attempt may take.").field("timeoutSeconds"),
                        text("--key", "TEXT", "Idempotency key: asking again answers the same job.")
                                .field("idempotencyKey"),
                        text("--correlation-id", "ID", "Your own id for what this belongs to.")
                                .field("correlationId"),
                        JobArguments.LABELS,
                        flag("--hold", "Do not run it until it is released.").field("hold"),
                        span("--wait-timeout", "With --wait or --follow: leave after that long (exit code 12)."))
                .together(
                        text("--webhook", "URL", "Who is told over HTTP how it ended.")
                                .required()
                                .field("webhook.url"),
                        texts("--webhook-event", "EVENT", "With --webhook: what is told instead, such as job.started.")
                                .separatedByCommas()
                                .field("webhook.events"),
                        text(
                                        "--webhook-secret-file",
                                        "FILE",
                                        "With --webhook: a file with the secret that signs, whsec_…, instead of those of its host.")
                                .puts((job, file) -> job.withObject("/webhook")
                                        .put(
                                                "secret",
                                                String.join("\n", SecretFile.read("webhook-secret-file", file)))))
                .oneOf(
                        flag("--wait", "Wait until the job has ended, then print its result."),
                        flag("--follow", "Show progress and log lines until the job has ended."))
                .runs(JobCommands::submitted);
    }

    private static RestCommand list() {
        return get(
                        "list",
                        "/v1/jobs",
                        "Lists jobs, newest first.",
                        "With --all --json each page is a JSON document of its own: jq '.jobs[]' reads them all.")
                .arguments(
                        text("--status", "STATUS", "One or more, with commas between.")
                                .field("status"),
                        text("--definition", "KEY", "Of that definition, any version.")
                                .field("definitionKey"),
                        text("--queue", "QUEUE", "In that queue.").field("queue"),
                        text("--name", "PREFIX", "Whose name begins like that.").field("name"),
                        labels("--label", "With that label; may be given several times.")
                                .field("label"),
                        text("--correlation-id", "ID", "With that correlation id.")
                                .field("correlationId"),
                        text("--created-by", "NAME", "Asked for by that key.").field("createdBy"),
                        time("--created-after", "createdAfter", "A time, or 2h for two hours ago."),
                        time("--created-before", "createdBefore", "A time, or 2h for two hours ago."),
                        time("--finished-after", "finishedAfter", "Finished since a time, or since 2h ago."),
                        time("--finished-before", "finishedBefore", "Finished before a time, or before 2h ago."),
                        text("--order", "ORDER", "newest or oldest first.").field("order"),
                        number("--limit", "N", "Jobs per page, 1 to 500; 50 if not given.")
                                .field("limit"),
                        text("--cursor", "CURSOR", "The page after the one that named this cursor.")
                                .field("cursor"),
                        flag("--all", "Every page."))
                .runs(JobCommands::list);
    }

    /** A time, or a span, which means so long ago. */
    private static Argument<String> time(String option, String field, String description) {
        return text(option, "WHEN", description).puts((query, text) -> query.put(field, timeOf(text)));
    }

    private static String timeOf(String text) {
        try {
            return Instant.now().minus(new Span().convert(text)).toString();
        } catch (TypeConversionException e) {
            return text; // a time, which the server checks
        }
    }

    /** A command that does the same to each of some jobs. */
    private static RestCommand step(String name, String step, String description) {
        return post(name, "/v1/jobs/{ID}/" + step, description)
                .arguments(positionals("ID", "The jobs."))
                .runs(JobCommands::each);
    }

    /** One that is refused is reported and does not keep the others from being done. */
    private static int each(Call call) throws Exception {
        int exitCode = ExitCode.OK;
        for (String id : call.texts("ID")) {
            try {
                Api.Reply reply = call.send(call.pathOf(id), call.request());
                call.show(reply, JobCommands::printStatus);
            } catch (LonghaulException e) {
                int refused = call.report(e);
                exitCode = exitCode == ExitCode.OK ? refused : exitCode;
            }
        }
        return exitCode;
    }

    private static void printStatus(Screen screen, JsonNode job) {
        screen.out()
                .println(job.path("jobId").asText() + " " + job.path("status").asText());
    }

    private static int submitted(Call call) throws InterruptedException {
        ObjectNode job = call.request();
        if (!job.has("params")) {
            job.putObject("params");
        }
        Api.Reply reply = call.send(call.path(), job);
        String id = reply.json().path("jobId").asText();
        if (!(call.json() && call.flag("--wait"))) {
            call.show(reply, (screen, answer) -> screen.out().println(id));
        }
        call.screen().out().flush();
        var deadline = new Deadline(call.span("--wait-timeout"));
        if (call.flag("--follow")) {
            return new Watching(call).watch(id, deadline);
        }
        return call.flag("--wait") ? new Waiting(call).await(id, deadline) : ExitCode.OK;
    }

    private static int show(Call call) {
        call.show(call.send(), ResponseText::fields);
        if (call.flag("--full") && !call.json()) {
            JsonNode runs = call.api().get(call.path() + "/runs").json().path("runs");
            if (!runs.isEmpty()) {
                call.screen().out().println();
                RUNS.print(call.screen(), runs);
            }
        }
        return ExitCode.OK;
    }

    private static int list(Call call) {
        boolean all = call.flag("--all");
        ObjectNode query = call.request();
        if (all && !query.has("limit")) {
            query.put("limit", LARGEST_PAGE);
        }
        List<JsonNode> jobs = new ArrayList<>();
        String next = call.api().pages(call.path(), query, all ? Integer.MAX_VALUE : 1, (reply, page) -> {
            if (call.json()) {
                call.screen().out().println(reply.body());
            } else {
                page.path("jobs").forEach(jobs::add);
            }
        });
        if (!call.json()) {
            JOBS.print(call.screen(), jobs);
            if (next != null) {
                call.screen().err().println("There are more: --all shows them, --cursor " + next + " the next page.");
            }
        }
        return ExitCode.OK;
    }
}
