package dev.longhaul.api.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.access.AccessAudit;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.ContentType;
import dev.longhaul.api.http.Query;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import dev.longhaul.spi.JobPage;
import dev.longhaul.spi.PageBytes;
import dev.longhaul.spi.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Routes that read jobs, their runs, logs and stored events. */
public final class ReadRoutes {
    private final Store store;
    private final JobJson json;
    private final AccessAudit audit;

    public ReadRoutes(Store store, JobJson json, AccessAudit audit) {
        this.store = store;
        this.json = json;
        this.audit = audit;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/jobs", Role.VIEWER, this::list),
                Route.get("/v1/jobs/{id}/status", Role.VIEWER, this::status),
                Route.get("/v1/jobs/{id}/runs", Role.VIEWER, this::runs),
                Route.get("/v1/jobs/{id}/log", Role.VIEWER, this::log));
    }

    /** Returns the view that the caller requested. Records a full view in the audit trail. */
    public JobJson.View view(Call call, Query query) {
        String requested = query.text("view");
        if (requested == null) {
            return JobJson.View.of(call.caller());
        }
        if (!requested.equals("full")) {
            query.problem("view", requested, "full");
        } else {
            call.caller().require(Role.OPERATOR, "view=full");
            String id = call.request().pathParameter("id");
            audit.viewed(call.caller(), id == null ? "all jobs" : id);
        }
        return JobJson.View.FULL;
    }

    private Response list(Call call) {
        Query query = call.query();
        JobJson.View view = view(call, query);
        boolean results = JobFilter.asksForResults(query, view);
        // Results need the params too: a result may repeat secrets of the params, which must be hidden.
        JobPage page = store.jobs().list(JobFilter.page(query, call.caller(), !results));
        return Answer.ok(out -> out.object(() -> {
            out.list("jobs", page.jobs(), job -> json.write(out, job, view));
            out.nextCursor(page.nextCursor());
        }));
    }

    private Response status(Call call) {
        call.query().done();
        Optional<Job> found = find(call.jobId());
        return found.isEmpty() ? missing(call.jobId()) : status(call, found.get());
    }

    private Response status(Call call, Job job) {
        List<Run> runs = store.jobs().runs(job.id(), job.tally().run() - 1, 1);
        JobJson.View view = JobJson.View.of(call.caller());
        return Answer.ok(out -> out.object(() -> {
            out.text("jobId", job.id().toString());
            out.text("status", job.status().wireName());
            if (runs.isEmpty()) {
                out.nothing("latestRun");
            } else {
                out.field("latestRun", () -> json.write(out, runs.get(runs.size() - 1), view));
            }
        }));
    }

    private Response runs(Call call) {
        Query query = call.query();
        int limit = query.number("limit", Limits.PAGE, 1, Limits.PAGE);
        int after = query.number("cursor", 0, 0, Integer.MAX_VALUE);
        query.done();
        Job job = existing(call.jobId());
        JobJson.View view = JobJson.View.of(call.caller());
        List<Run> runs = store.jobs().runs(job.id(), after, limit);
        return Answer.ok(out -> out.object(() -> {
            out.list("runs", runs, run -> json.write(out, run, view));
            int last = runs.isEmpty() ? after : runs.get(runs.size() - 1).run();
            out.nextCursor(last < job.tally().run() ? last : null);
        }));
    }

    private Response log(Call call) {
        Query query = call.query();
        String runText = query.text("run");
        Integer run = runText == null ? null : query.number("run", 1, 1, Integer.MAX_VALUE);
        int tail = query.number("tail", 0, 1, JobLog.MOST_LINES);
        boolean timestamps = query.flag("timestamps");
        query.done();
        Job job = existing(call.jobId());
        int runs = job.tally().run();
        if (run != null && run > runs) {
            throw new LonghaulException(
                    ErrorCode.NOT_FOUND, "job " + job.id() + " has no run " + run + " (it has " + runs(runs) + ")");
        }
        return Response.of(Status.OK, ContentType.TEXT, new JobLog(store, job.id()).text(run, tail, timestamps));
    }

    private static String runs(int number) {
        return number == 1 ? "1 run" : number + " runs";
    }

    public Optional<Job> find(JobId id) {
        return store.jobs().find(id);
    }

    /** Returns the response about a job that the store does not contain; throws {@code not_found} if none is deferred. */
    public Response.Complete missing(JobId id) {
        return Deferred.responseTo(store, id);
    }

    public Job existing(JobId id) {
        return store.jobs().find(id).orElseThrow(() -> Refusal.notFound(id));
    }

    /** Returns one page of stored events. */
    public Response events(Call call) {
        Query query = call.query();
        int after = query.number("from", 0, 0, Integer.MAX_VALUE);
        int limit = query.number("limit", EventQuery.LARGEST_PAGE, 1, EventQuery.LARGEST_PAGE);
        EventType[] types = types(query);
        query.done();
        Job job = existing(call.jobId());
        JobJson.View view = JobJson.View.of(call.caller());
        EventQuery eventQuery =
                EventQuery.of(job.id()).after(after).types(types).limit(limit);
        List<JobEvent> events = store.jobs().events(eventQuery);
        return Answer.ok(out -> out.object(() -> {
            out.list("events", events, event -> json.write(out, event, view));
            if (PageBytes.mayHaveMore(eventQuery, events)) {
                out.number("next", events.get(events.size() - 1).position());
            } else {
                out.nothing("next");
            }
        }));
    }

    public static EventType[] types(Query query) {
        var types = new ArrayList<EventType>();
        for (String text : query.list("types")) {
            try {
                types.add(EventType.parse(text));
            } catch (LonghaulException e) {
                e.errors().forEach(error -> query.problem("types", text, error.expected()));
            }
        }
        return types.toArray(EventType[]::new);
    }
}
