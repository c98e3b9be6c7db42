package dev.longhaul.cli.client.job;

import static dev.longhaul.cli.client.Argument.flag;
import static dev.longhaul.cli.client.Argument.positionals;
import static dev.longhaul.cli.client.RestCommand.post;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Argument;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.Json;
import dev.longhaul.cli.client.Query;
import dev.longhaul.cli.client.RestCommand;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.error.LonghaulException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/** Applies an action to jobs given by id, or to all jobs that match a filter. */
final class ManyJobs {
    /** Maximum number of jobs that the server changes per request. */
    private static final int MOST = 1000;

    private ManyJobs() {}

    /** Returns a command for jobs given by id. */
    static RestCommand byId(String name, String step, String description) {
        return post(name, "/v1/jobs/{ID}/" + step, description)
                .arguments(positionals("ID", "Job ids."))
                .runs(ManyJobs::each);
    }

    /**
     * Returns a command for jobs given by id or by a filter.
     *
     * @param statuses statuses of the jobs to change, unless {@code --status} is given
     * @param onlyById an option that the server accepts only for single jobs; empty if there is none
     */
    static RestCommand byIdOrFilter(
            String name, String description, String statuses, String onlyById, Argument<?>... options) {
        return post(name, "/v1/jobs/{ID}/" + name, description, "Give ids, or options that select jobs.")
                .arguments(positionals("ID", "Job ids.").optional())
                .arguments(options)
                .arguments(JobFilter.OPTIONS)
                .arguments(flag("-y --yes", "With a filter: do not ask for confirmation."))
                .runs(call -> {
                    boolean filtered = JobFilter.isGiven(call);
                    if (filtered != call.texts("ID").isEmpty()) {
                        throw ServerOptions.bad(
                                "ID",
                                filtered ? "combined with a filter" : "none",
                                "either job ids, or a filter such as --definition KEY or --status STATUS");
                    }
                    if (filtered && !onlyById.isEmpty() && call.given(onlyById)) {
                        throw ServerOptions.bad(onlyById, "combined with a filter", "job ids instead of the filter");
                    }
                    return filtered ? all(call, name, statuses) : each(call);
                });
    }

    /** Applies the action to each job. If the server rejects one, reports it and continues with the next job. */
    private static int each(Call call) throws Exception {
        int exitCode = ExitCode.OK;
        for (String id : call.texts("ID")) {
            try {
                Api.Reply reply = call.send(call.pathOf(id), call.request());
                call.show(reply, ManyJobs::printStatus);
            } catch (LonghaulException e) {
                int refused = call.report(e);
                exitCode = exitCode == ExitCode.OK ? refused : exitCode;
            }
        }
        return exitCode;
    }

    private static void printStatus(Screen screen, JsonNode job) {
        screen.out()
                .println(job.path("jobId").asText() + " "
                        + screen.paintStatus(job.path("status").asText()));
    }

    private static int all(Call call, String action, String statuses) {
        ObjectNode filter = JobFilter.query(call);
        ObjectNode query = filter.deepCopy();
        if (!query.has("status")) {
            query.put("status", statuses);
        }
        Api.Reply reply = call.api().get("/v1/jobs/count" + Query.of(query));
        JsonNode count = reply.json();
        long total = count.path("total").asLong();
        if (total == 0 && !call.json()) {
            call.screen().out().println("No jobs match.");
            return ExitCode.OK;
        }
        if (total > 0 && !call.flag("--yes")) {
            String jobs = (count.path("exact").asBoolean() ? "" : "about ") + jobs(total);
            if (call.screen().in() == null) {
                throw ServerOptions.bad("--yes", "missing", "--yes, to " + action + " " + jobs + " without a terminal");
            }
            String title = action.substring(0, 1).toUpperCase(Locale.ROOT) + action.substring(1);
            if (!call.screen().confirm(title + " " + jobs + "?")) {
                call.screen().note("nothing changed");
                return ExitCode.SOFTWARE;
            }
        }
        ObjectNode request = JobFilter.body(filter);
        request.setAll(call.request().retain("reason"));
        addBound(request, action, reply.date());
        long changed = change(call, action, request, count.path("exact").asBoolean() ? total : Long.MAX_VALUE);
        call.screen()
                .out()
                .println(call.json() ? "{\"count\":" + changed + "}" : jobs(changed) + ": " + action + " requested");
        return ExitCode.OK;
    }

    /**
     * Excludes jobs that did not match when they were counted: jobs created since then or, for a retry, jobs finished
     * since then. Otherwise a retry would never end while jobs fail again quickly.
     */
    private static void addBound(ObjectNode request, String action, @Nullable String date) {
        String field = action.equals("retry") ? "finishedBefore" : "createdBefore";
        if (date == null || request.has(field)) {
            return;
        }
        // The Date header has whole seconds only.
        Instant bound =
                Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date)).plusSeconds(1);
        request.put(field, bound.toString());
    }

    /**
     * Repeats the request until all jobs are changed, because the server changes a limited number of jobs per request.
     */
    private static long change(Call call, String action, ObjectNode request, long most) {
        long changed = 0;
        boolean more = most > 0;
        while (more && changed < most) {
            request.put("limit", (int) Math.min(MOST, most - changed));
            JsonNode done = call.api()
                    .send("POST", "/v1/jobs/" + action, Json.write(request))
                    .json();
            changed += done.path("count").asLong();
            more = done.path("more").asBoolean();
        }
        return changed;
    }

    private static String jobs(long count) {
        return String.format(Locale.ROOT, "%,d", count) + (count == 1 ? " job" : " jobs");
    }
}
