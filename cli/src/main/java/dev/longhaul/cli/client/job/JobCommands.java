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
import static dev.longhaul.cli.client.RestCommand.patch;
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
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.cli.client.Style;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.ExitCode;

/** The commands for jobs. */
public final class JobCommands {
    private static final int LARGEST_PAGE = 500;

    private static final Set<String> WAITING = Set.of("created", "scheduled", "queued", "retrying");

    private static final Argument<String> ID = positional("ID", "Job id.");

    private static final Argument<String> RUN_AT = text(
                    "--run-at", "TIME", "Earliest start time, e.g. 2031-05-01T06:00:00Z.")
            .field("runAt");
    private static final Argument<Duration> DELAY =
            span("--delay", "Delay before the job may run, e.g. 90s, 5m, 2h.").field("delaySeconds");
    private static final Argument<Integer> ATTEMPTS =
            number("--attempts", "N", "Maximum number of attempts.").field("maxAttempts");

    private static final Table JOBS = new Table(
                    Column.id("JOB", "jobId"),
                    Column.status("STATUS", "status"),
                    Column.of("DEFINITION", ResponseText::definition),
                    Column.of("QUEUE", "queue"),
                    Column.time("CREATED", "createdAt"),
                    Column.number("DURATION", ResponseText::duration),
                    Column.of("PROGRESS", ResponseText::progress),
                    Column.of("NAME", "name").text(),
                    Column.of("ERROR", ResponseText::failure).text().styled(error -> Style.RED))
            .optional("PROGRESS", "QUEUE", "NAME", "DURATION", "CREATED", "ERROR");

    private static final Table RUNS = new Table(
                    Column.number("RUN", "run"),
                    Column.status("STATUS", "status"),
                    Column.time("STARTED", "startedAt"),
                    Column.time("ENDED", "endedAt"),
                    Column.orDash("EXECUTOR", "executorId"),
                    Column.of("ERROR", run -> ResponseText.error(run.path("error")))
                            .text())
            .optional("EXECUTOR", "ENDED");

    private JobCommands() {}

    public static List<RestCommand> all() {
        return List.of(
                submit(),
                get("get", "/v1/jobs/{ID}", "Shows a job.")
                        .arguments(
                                ID,
                                flag("--full", "Include params, stack, lease and runs; requires the operator role.")
                                        .puts((query, full) -> query.put("view", "full")))
                        .runs(JobCommands::show),
                list(),
                get("why", "/v1/jobs/{ID}/why", "Explains why a waiting job has not started.")
                        .arguments(ID)
                        .shows(JobCommands::printReasons),
                watching(),
                logs(),
                get("failures", "/v1/jobs", "Shows recently failed jobs, grouped by definition and error.")
                        .arguments(span("--since", "Time window. Default: 24h."))
                        .runs(RecentFailures::show),
                ManyJobs.byIdOrFilter(
                        "cancel",
                        "Cancels jobs: waiting jobs end immediately, running jobs are asked to stop.",
                        "created,scheduled,queued,retrying,running",
                        "--grace",
                        text("--reason", "TEXT", "Reason, stored with the job.").field("reason"),
                        span("--grace", "With ids: grace period for running code to stop by itself.")
                                .field("graceSeconds")),
                ManyJobs.byIdOrFilter(
                        "retry",
                        "Retries failed or cancelled jobs with a full set of attempts.",
                        "failed,cancelled",
                        ""),
                edit(),
                ManyJobs.byId("hold", "hold", "Holds waiting jobs: they do not run until released."),
                ManyJobs.byId("release", "release", "Releases held jobs: they run when due."),
                ManyJobs.byId("run-now", "runNow", "Makes scheduled or retrying jobs due now."));
    }

    private static RestCommand watching() {
        return get(
                        "watch",
                        "/v1/jobs/{ID}/events",
                        "Shows progress and log of a job until it ends; with --json its events, one per line.",
                        "Exit code: 0 succeeded, 10 failed, 11 cancelled, 12 not finished (timeout or Ctrl-C).")
                .arguments(
                        ID,
                        number("--tail", "N", "Start with the last N lines of the log, not with its beginning."),
                        span("--timeout", "Stop watching after this time (exit code 12)."))
                .runs(JobCommands::watch);
    }

    private static RestCommand logs() {
        return get("logs", "/v1/jobs/{ID}/log", "Prints the log of a job.")
                .arguments(
                        ID,
                        flag("-f --follow", "Follow the log until the job ends. Exits with 12 if interrupted before."),
                        number("--run", "N", "Only this run.").field("run"),
                        number("--tail", "N", "Only the last N lines.").field("tail"),
                        flag("--timestamps", "Print the time of each line.").field("timestamps"))
                .runs(call -> new Logs(call).print());
    }

    private static RestCommand edit() {
        return patch("edit", "/v1/jobs/{ID}", "Changes the given fields of a job that has not started.")
                .arguments(
                        ID,
                        JobArguments.PARAMS,
                        JobArguments.NAME,
                        JobArguments.PRIORITY,
                        RUN_AT,
                        DELAY,
                        ATTEMPTS,
                        labels("--label", "Label; repeatable. Replaces all labels of the job.")
                                .field("labels"))
                .runs(JobCommands::edited);
    }

    private static int edited(Call call) {
        if (call.request().isEmpty()) {
            throw ServerOptions.bad(
                    "edit",
                    "no change",
                    "at least one of --params, --name, --priority, --run-at, --delay, --attempts, --label");
        }
        call.show(call.send(), ResponseText::fields);
        return ExitCode.OK;
    }

    private static RestCommand submit() {
        return post(
                        "submit",
                        "/v1/jobs",
                        "Submits a job and prints its id.",
                        "Exit code with --wait or --follow: 0 succeeded, 10 failed, 11 cancelled, 12 not finished.")
                .arguments(
                        positional("DEFINITION", "Definition, e.g. demo.echo; demo.echo@2 selects version 2.")
                                .puts(JobArguments::putDefinition),
                        positionals("ARGUMENT", "For the definition command, after --: program and arguments to run.")
                                .optional()
                                .puts(JobArguments::putProgram),
                        JobArguments.PARAMS,
                        JobArguments.NAME,
                        JobArguments.QUEUE,
                        JobArguments.PRIORITY,
                        RUN_AT,
                        DELAY,
                        ATTEMPTS,
                        span("--timeout", "Timeout of one attempt.").field("timeoutSeconds"),
                        text("--idempotency-key", "TEXT", "Idempotency key: submitting it again returns the same job.")
                                .field("idempotencyKey"),
                        text("--correlation-id", "ID", "Your id to correlate jobs.")
                                .field("correlationId"),
                        JobArguments.LABELS,
                        flag("--hold", "Hold the job until it is released.").field("hold"),
                        span("--wait-timeout", "With --wait or --follow: stop waiting after this time (exit code 12)."))
                .together(
                        text("--webhook", "URL", "URL to notify over HTTP when the job ends.")
                                .required()
                                .field("webhook.url"),
                        texts("--webhook-event", "EVENT", "With --webhook: events to send instead, e.g. job.started.")
                                .separatedByCommas()
                                .field("webhook.events"),
                        text(
                                        "--webhook-secret-file",
                                        "FILE",
                                        "With --webhook: file with the signing secret, whsec_…. Default: the host's.")
                                .puts((job, file) -> job.withObject("/webhook")
                                        .put(
                                                "secret",
                                                String.join("\n", SecretFile.read("webhook-secret-file", file)))))
                .oneOf(
                        flag("--wait", "Wait until the job ends, then print its result."),
                        flag("--follow", "Show progress and log lines until the job ends."))
                .runs(JobCommands::submitted);
    }

    private static RestCommand list() {
        return get(
                        "list",
                        "/v1/jobs",
                        "Lists jobs, newest first.",
                        "With --all --json, each page is a separate JSON document; jq '.jobs[]' reads all of them.")
                .arguments(JobFilter.OPTIONS)
                .arguments(
                        text("--created-by", "NAME", "Filter by the API key that submitted.")
                                .field("createdBy"),
                        text("--order", "ORDER", "Sort order: newest or oldest first.")
                                .field("order"),
                        number("--limit", "N", "Jobs per page, 1 to 500. Default: 50.")
                                .field("limit"),
                        text("--cursor", "CURSOR", "Cursor of the page, as printed with the previous page.")
                                .field("cursor"),
                        flag("--all", "Print all pages."))
                .repeatable()
                .runs(JobCommands::list);
    }

    private static int submitted(Call call) throws InterruptedException {
        if (call.given("--params") && call.given("ARGUMENT")) {
            throw ServerOptions.bad("ARGUMENT", call.texts("ARGUMENT").get(0), "not together with --params");
        }
        ObjectNode job = call.request();
        if (!job.has("params")) {
            job.putObject("params");
        }
        Api.Reply reply = call.send(call.path(), job);
        String id = reply.json().path("jobId").asText();
        if (!(call.json() && call.flag("--wait"))) {
            call.show(reply, (screen, created) -> screen.out().println(id));
        }
        call.screen().out().flush();
        var deadline = new Deadline(call.span("--wait-timeout"));
        if (call.flag("--follow")) {
            return new Watching(call).watch(id, 0, deadline);
        }
        return call.flag("--wait") ? new Waiting(call).await(id, deadline) : ExitCode.OK;
    }

    private static int show(Call call) {
        Api.Reply reply = call.send();
        call.show(reply, ResponseText::fields);
        if (!call.json() && WAITING.contains(reply.json().path("status").asText())) {
            call.screen().out().println();
            printReasons(call.screen(), call.api().get(call.path() + "/why").json());
        }
        if (call.flag("--full") && !call.json()) {
            JsonNode runs = call.api().get(call.path() + "/runs").json().path("runs");
            if (!runs.isEmpty()) {
                call.screen().out().println();
                RUNS.print(call.screen(), runs);
            }
        }
        return ExitCode.OK;
    }

    private static int watch(Call call) throws InterruptedException {
        String id = call.required("ID");
        Integer tail = call.number("--tail");
        long after = tail == null ? 0 : LogTail.start(call.api(), id, tail);
        return new Watching(call).watch(id, after, new Deadline(call.span("--timeout")));
    }

    private static void printReasons(Screen screen, JsonNode why) {
        String status = why.path("status").asText();
        if (!WAITING.contains(status)) {
            screen.out()
                    .println(why.path("jobId").asText() + " is not waiting: it is " + screen.paintStatus(status) + ".");
        }
        for (JsonNode reason : why.path("reasons")) {
            screen.out()
                    .println(screen.paint(Style.YELLOW, reason.path("code").asText()) + ": "
                            + screen.safe(reason.path("message").asText()));
        }
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
                call.screen().err().println("More jobs: add --all, or --cursor " + next + " for the next page.");
            }
        }
        return ExitCode.OK;
    }
}
