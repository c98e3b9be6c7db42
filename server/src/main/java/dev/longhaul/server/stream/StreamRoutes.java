package dev.longhaul.server.stream;

import com.linecorp.armeria.common.HttpResponse;
import dev.longhaul.access.Role;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.server.http.Answer;
import dev.longhaul.server.http.Call;
import dev.longhaul.server.http.Failures;
import dev.longhaul.server.http.Query;
import dev.longhaul.server.http.Route;
import dev.longhaul.server.rest.JobFilter;
import dev.longhaul.server.rest.JobJson;
import dev.longhaul.server.rest.ReadRoutes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads a job, with an optional wait for its end, and streams events. */
public final class StreamRoutes {
    private static final int LONGEST_WAIT = 60;
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

    private HttpResponse job(Call call) {
        Query query = call.query();
        JobJson.View view = reads.view(call, query);
        int seconds = query.number("waitSeconds", 0, 0, LONGEST_WAIT);
        query.done();
        Job job = reads.existing(call.jobId());
        return seconds == 0 || job.state().terminal() ? response(job, view) : later(call, job.id(), view, seconds);
    }

    private HttpResponse response(Job job, JobJson.View view) {
        return Answer.ok(out -> json.write(out, job, view));
    }

    /** Responds when the job has ended or the wait is over; holds no thread until then. */
    private HttpResponse later(Call call, JobId id, JobJson.View view, int seconds) {
        call.context().clearRequestTimeout();
        CompletableFuture<Optional<Job>> ended = streams.ended(id);
        ScheduledFuture<?> enough =
                call.context().eventLoop().schedule(() -> ended.complete(Optional.empty()), seconds, TimeUnit.SECONDS);
        HttpResponse response = HttpResponse.of(ended.thenApplyAsync(
                job -> {
                    try {
                        return response(job.orElseGet(() -> reads.existing(id)), view);
                    } catch (RuntimeException e) {
                        return Failures.answer("GET /v1/jobs/{id}", e);
                    }
                },
                call.context().blockingTaskExecutor()));
        // Also runs when the client has disconnected.
        var unused = response.whenComplete().handle((done, failure) -> {
            enough.cancel(false);
            return ended.complete(Optional.empty());
        });
        return response;
    }

    private HttpResponse events(Call call) {
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
        return streams.events(new SseWriter(call.context(), json, view), eventQuery);
    }

    private static boolean wantsStream(Call call) {
        return call.headers().accept().stream()
                .anyMatch(type -> type.type().equals("text")
                        && type.subtype().equals("event-stream")
                        && type.qualityFactor() > 0);
    }

    /** The position after which a reconnecting client resumes. */
    private static @Nullable Integer lastEventId(Call call, Query query) {
        String text = call.headers().get(LAST_EVENT_ID);
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            int position = Integer.parseInt(text);
            if (position >= 0) {
                return position;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        query.problem("Last-Event-ID", text, "the id of an event of this job, 0 to " + Integer.MAX_VALUE);
        return null;
    }

    private HttpResponse changes(Call call) {
        Query query = call.query();
        var filter = new ChangeStream.Filter(
                query.text("definitionKey"), query.text("queue"), Set.copyOf(List.of(JobFilter.statuses(query))));
        query.done();
        return streams.changes(new SseWriter(call.context(), json, JobJson.View.of(call.caller())), filter);
    }
}
