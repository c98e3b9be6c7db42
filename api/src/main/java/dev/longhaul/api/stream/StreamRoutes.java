package dev.longhaul.api.stream;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Query;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.rest.JobFilter;
import dev.longhaul.api.rest.JobJson;
import dev.longhaul.api.rest.ReadRoutes;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Routes that read a job, optionally waiting for its end, and that stream events. */
public final class StreamRoutes {
    private static final int LONGEST_WAIT = 60;
    private static final Pattern NOT_ACCEPTED = Pattern.compile(";q=0(\\.0*)?(;|$)");

    private static final String LAST_EVENT_ID = "last-event-id";

    private final JobStreams streams;
    private final ReadRoutes reads;
    private final JobJson json;

    public StreamRoutes(JobStreams streams, ReadRoutes reads, JobJson json) {
        this.streams = streams;
        this.reads = reads;
        this.json = json;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/jobs/{id}", Role.VIEWER, this::job),
                Route.get("/v1/jobs/{id}/events", Role.VIEWER, this::events),
                Route.get("/v1/events", Role.VIEWER, this::changes));
    }

    private Response job(Call call) {
        Query query = call.query();
        JobJson.View view = reads.view(call, query);
        int seconds = query.number("waitSeconds", 0, 0, LONGEST_WAIT);
        query.done();
        Optional<Job> found = reads.find(call.jobId());
        if (found.isEmpty()) {
            return reads.missing(call.jobId());
        }
        Job job = found.get();
        return seconds == 0 || job.state().terminal() ? response(job, view) : later(job.id(), view, seconds);
    }

    private Response.Complete response(Job job, JobJson.View view) {
        return Answer.ok(out -> json.write(out, job, view));
    }

    /** Responds when the job has ended or the wait has timed out. No thread waits for it. */
    private Response later(JobId id, JobJson.View view, int seconds) {
        CompletableFuture<Optional<Job>> ended =
                streams.ended(id).completeOnTimeout(Optional.empty(), seconds, TimeUnit.SECONDS);
        return new Response.Later(ended, () -> response(ended.join().orElseGet(() -> reads.existing(id)), view));
    }

    private Response events(Call call) {
        if (!wantsStream(call)) {
            return reads.events(call);
        }
        Query query = call.query();
        int from = query.number("from", 0, 0, Integer.MAX_VALUE);
        EventType[] types = ReadRoutes.types(query);
        Integer last = lastEventId(call, query);
        query.done();
        Job job = reads.existing(call.jobId());
        int after = last == null ? from : last;
        JobJson.View view = JobJson.View.of(call.caller());
        EventQuery eventQuery = EventQuery.of(job.id()).after(after).types(types);
        return new Response.Events(client -> streams.events(new SseWriter(client, json, view), eventQuery));
    }

    private static boolean wantsStream(Call call) {
        return call.request().headers("accept").stream()
                .flatMap(line -> Arrays.stream(
                        line.toLowerCase(Locale.ROOT).replace(" ", "").split(",", -1)))
                .anyMatch(type -> (type.equals("text/event-stream") || type.startsWith("text/event-stream;"))
                        && !NOT_ACCEPTED.matcher(type).find());
    }

    /** Returns the position after which a reconnecting client resumes; null if the request has none. */
    private static @Nullable Integer lastEventId(Call call, Query query) {
        String text = call.header(LAST_EVENT_ID);
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            int position = Integer.parseInt(text);
            if (position >= 0) {
                return position;
            }
        } catch (NumberFormatException e) {
            // The value is reported as invalid below.
        }
        query.problem("Last-Event-ID", text, "the id of an event of this job, 0 to " + Integer.MAX_VALUE);
        return null;
    }

    private Response changes(Call call) {
        Query query = call.query();
        var filter = new ChangeStream.Filter(
                query.text("definitionKey"), query.text("queue"), Set.copyOf(List.of(JobFilter.statuses(query))));
        query.done();
        JobJson.View view = JobJson.View.of(call.caller());
        return new Response.Events(client -> streams.changes(new SseWriter(client, json, view), filter));
    }
}
