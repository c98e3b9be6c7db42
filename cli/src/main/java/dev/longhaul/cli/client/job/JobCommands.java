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

/** The commands for jobs. */
public final class JobCommands {
    private static final int LARGEST_PAGE = 500;

    private static final Argument<String> ID = positional("ID", "Job id.");

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
                                flag("--full", "Include params, stack, lease and runs; requires the operator role.")
                                        .puts((query, full) -> query.put("view", "full")))
                        .runs(JobCommands::show),
                list(),
                get(
                                "watch",
                                "/v1/jobs/{ID}/events",
                                "Shows progress and log of a job until it ends; with --json its events, one per line.",
                                "Exit code: 0 succeeded, 10 failed, 11 cancelled, 12 not finished (timeout or Ctrl-C).")
                        .arguments(ID, span("--timeout", "Stop watching after this time (exit code 12)."))
                        .runs(call ->
                                new Watching(call).watch(call.required("ID"), new Deadline(call.span("--timeout")))),
                get("logs", "/v1/jobs/{ID}/log", "Prints the log of a job.")
                        .arguments(
                                ID,
                                flag(
                                        "-f --follow",
                                        "Follow the log until the job ends. Exits with 12 if interrupted before."),
                                number("--run", "N", "Only this run.").field("run"),
                                number("--tail", "N", "Only the last N lines.").field("tail"),
                                flag("--timestamps", "Print the time of each line.")
                                        .field("timestamps"))
                        .runs(call -> new Logs(call).print()),
                get("failures", "/v1/jobs", "Shows recently failed jobs, grouped by definition and error.")
                        .arguments(span("--since", "Time window. Default: 24h."))
                        .runs(RecentFailures::show),
                step("cancel", "cancel", "Cancels jobs: waiting jobs end immediately, running jobs are asked to stop.")
                        .arguments(
                                text("--reason", "TEXT", "Reason, stored with the job.")
                                        .field("reason"),
                                span("--grace", "Grace period for running code to stop by itself.")
                                        .field("graceSeconds")),
                step("retry", "retry", "Retries failed or cancelled jobs with a full set of attempts."),
                step("hold", "hold", "Holds waiting jobs: they do not run until released."),
                step("release", "release", "Releases held jobs: they run when due."),
                step("run-now", "runNow", "Makes scheduled or retrying jobs due now."));
    }

    private static RestCommand submit() {
        return post(
                        "submit",
                        "/v1/jobs",
                        "Submits a job and prints its id.",
                        "Exit code with --wait or --follow: 0 succeeded, 10 failed, 11 cancelled, 12 not finished.")
                .arguments(
                        positional("KEY", "Definition, e.g. demo.echo; key@2 selects version 2.")
                                .puts(JobArguments::putDefinition),
                        JobArguments.PARAMS,
                        JobArguments.NAME,
                        JobArguments.QUEUE,
                        JobArguments.PRIORITY,
                        text("--run-at", "TIME", "Earliest start time, e.g. 2031-05-01T06:00:00Z.")
                                .field("runAt"),
                        span("--delay", "Delay before the job may run, e.g. 90s, 5m, 2h.")
                                .field("delaySeconds"),
                        number("--attempts", "N", "Maximum number of attempts.").field("maxAttempts"),
                        span("--timeout", "Timeout of one attempt.").field("timeoutSeconds"),
                        text("--key", "TEXT", "Idempotency key: submitting it again returns the same job.")
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
                .arguments(
                        text("--status", "STATUS", "Filter by status; several separated by commas.")
                                .field("status"),
                        text("--definition", "KEY", "Filter by definition, any version.")
                                .field("definitionKey"),
                        text("--queue", "QUEUE", "Filter by queue.").field("queue"),
                        text("--name", "PREFIX", "Filter by name prefix.").field("name"),
                        labels("--label", "Filter by label; repeatable.").field("label"),
                        text("--correlation-id", "ID", "Filter by correlation id.")
                                .field("correlationId"),
                        text("--created-by", "NAME", "Filter by the API key that submitted.")
                                .field("createdBy"),
                        time("--created-after", "createdAfter", "Created after a time, or 2h for two hours ago."),
                        time("--created-before", "createdBefore", "Created before a time, or 2h for two hours ago."),
                        time("--finished-after", "finishedAfter", "Finished after a time, or 2h for two hours ago."),
                        time("--finished-before", "finishedBefore", "Finished before a time, or 2h for two hours ago."),
                        text("--order", "ORDER", "Sort order: newest or oldest first.")
                                .field("order"),
                        number("--limit", "N", "Jobs per page, 1 to 500. Default: 50.")
                                .field("limit"),
                        text("--cursor", "CURSOR", "Cursor of the page, as printed with the previous page.")
                                .field("cursor"),
                        flag("--all", "Print all pages."))
                .runs(JobCommands::list);
    }

    /** An option for a time, or for a duration before now. */
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

    /** A command that applies one action to several jobs. */
    private static RestCommand step(String name, String step, String description) {
        return post(name, "/v1/jobs/{ID}/" + step, description)
                .arguments(positionals("ID", "Job ids."))
                .runs(JobCommands::each);
    }

    /** Applies the action to each job; reports a rejected one and continues with the next. */
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
            call.show(reply, (screen, created) -> screen.out().println(id));
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
                call.screen().err().println("More jobs: add --all, or --cursor " + next + " for the next page.");
            }
        }
        return ExitCode.OK;
    }
}
