package dev.longhaul.api.rest;

import dev.longhaul.NewSchedule;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Query;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.job.Limits;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.Timing;
import dev.longhaul.spi.SchedulePage;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.Schedules;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;

/** Routes that change and read schedules and their fires. */
public final class ScheduleRoutes {
    private static final int SHOWN = 10;
    private static final int USUAL_PAGE = 50;
    private static final String PREVIEWED = "preview";

    private final Schedules schedules;
    private final Store store;
    private final ScheduleJson json;

    public ScheduleRoutes(Schedules schedules, Store store, JobJson jobs) {
        this.schedules = schedules;
        this.store = store;
        this.json = new ScheduleJson(schedules, jobs);
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/schedules", Role.OPERATOR, this::create),
                Route.get("/v1/schedules", Role.VIEWER, this::list),
                Route.post("/v1/schedules/preview", Role.VIEWER, this::previewUnsaved),
                Route.get("/v1/schedules/{key}", Role.VIEWER, this::get),
                Route.put("/v1/schedules/{key}", Role.OPERATOR, this::edit),
                Route.patch("/v1/schedules/{key}", Role.OPERATOR, this::edit),
                Route.delete("/v1/schedules/{key}", Role.OPERATOR, this::delete),
                Route.post("/v1/schedules/{key}/pause", Role.OPERATOR, this::pause),
                Route.post("/v1/schedules/{key}/resume", Role.OPERATOR, this::resume),
                Route.post("/v1/schedules/{key}/trigger", Role.OPERATOR, this::trigger),
                Route.post("/v1/schedules/{key}/backfill", Role.OPERATOR, this::backfill)
                        .longRunning(),
                Route.get("/v1/schedules/{key}/preview", Role.VIEWER, this::preview),
                Route.get("/v1/schedules/{key}/jobs", Role.VIEWER, this::jobs));
    }

    // Create and change schedules

    private Response create(Call call) {
        Fields body = call.body();
        String key = body.requiredText("key");
        NewSchedule requested = ScheduleRequest.of(body).apply(NewSchedule.of(key));
        String by = call.caller().name();
        Schedule created = body.done(() -> schedules.check(requested), () -> schedules.create(requested, by));
        return Answer.of(Status.CREATED, out -> json.write(out, created, call.caller()))
                .with("location", call.url("/v1/schedules/" + created.key()));
    }

    private Response edit(Call call) {
        String key = call.path("key");
        Fields body = call.body();
        UnaryOperator<NewSchedule> edit = ScheduleRequest.of(body);
        String by = call.caller().name();
        return changed(call, body.done(() -> schedules.checkEdit(key, edit), () -> schedules.edit(key, edit, by)));
    }

    private Response delete(Call call) {
        call.optionalBody().done();
        String key = call.path("key");
        schedules.delete(key);
        return Response.of(Status.NO_CONTENT);
    }

    private Response pause(Call call) {
        Fields body = call.optionalBody();
        String note = body.text("note");
        body.done();
        return changed(call, schedules.pause(call.path("key"), call.caller().name(), note));
    }

    private Response resume(Call call) {
        call.optionalBody().done();
        return changed(call, schedules.resume(call.path("key")));
    }

    private Response changed(Call call, Schedule schedule) {
        return Answer.ok(out -> json.write(out, schedule, call.caller()));
    }

    // Create jobs of a schedule

    private Response trigger(Call call) {
        call.optionalBody().done();
        String key = call.path("key");
        Fire fire = schedules.trigger(key, call.caller().name());
        return Answer.of(Status.ACCEPTED, out -> ScheduleJson.write(out, fire))
                .with("location", call.url("/v1/jobs/" + fire.jobId()));
    }

    private Response backfill(Call call) {
        Fields body = call.body();
        Instant from = body.requiredTime("from");
        Instant to = body.requiredTime("to");
        body.done();
        String key = call.path("key");
        List<Fire> fires = schedules.backfill(key, from, to, call.caller().name());
        return Answer.of(
                Status.ACCEPTED,
                out -> out.object(() -> out.list("fires", fires, fire -> ScheduleJson.write(out, fire))));
    }

    // Read

    private Response list(Call call) {
        Query query = call.query();
        int limit = query.number("limit", USUAL_PAGE, 1, Limits.PAGE);
        String cursor = query.text("cursor");
        query.done();
        SchedulePage page = schedules.list(cursor, limit);
        List<KnownWorker> workers = store.catalog().workers();
        return Answer.ok(out -> out.object(() -> {
            out.list("schedules", page.schedules(), one -> json.write(out, one, call.caller(), workers));
            out.nextCursor(page.nextCursor());
        }));
    }

    private Response get(Call call) {
        call.query().done();
        Schedule schedule = schedules.get(call.path("key"));
        boolean known = schedule.spec().timetable().timing().known();
        List<Instant> next = known ? schedules.preview(schedule, SHOWN) : List.of();
        List<PastFire> last = schedules.fires(schedule.key(), null, SHOWN);
        List<KnownWorker> workers = store.catalog().workers();
        return Answer.ok(out -> out.object(() -> {
            json.fields(out, schedule, call.caller());
            ScheduleJson.warning(out, schedule, workers);
            ScheduleJson.times(out, "nextFires", next);
            out.list("lastFires", last, one -> json.write(out, one, call.caller()));
        }));
    }

    private Response jobs(Call call) {
        Query query = call.query();
        int limit = query.number("limit", USUAL_PAGE, 1, Limits.PAGE);
        Instant before = query.time("cursor");
        query.done();
        List<PastFire> fires = schedules.fires(call.path("key"), before, limit);
        Instant last = fires.size() < limit ? null : fires.get(limit - 1).fire().fireAt();
        return Answer.ok(out -> out.object(() -> {
            out.list("fires", fires, one -> json.write(out, one, call.caller()));
            out.nextCursor(last);
        }));
    }

    private Response preview(Call call) {
        Query query = call.query();
        int count = query.number("count", SHOWN, 1, Limits.PAGE);
        query.done();
        Schedule schedule = schedules.get(call.path("key"));
        return preview(schedule.spec().timetable().timing(), schedules.preview(schedule, count));
    }

    private Response previewUnsaved(Call call) {
        Fields body = call.body();
        Integer count = body.integer("count");
        NewSchedule unsaved = ScheduleRequest.timesOf(body).apply(NewSchedule.of(PREVIEWED));
        int shown = count == null ? SHOWN : count;
        List<Instant> fires = body.done(() -> schedules.preview(unsaved, shown));
        return preview(unsaved.timetable(store.now()).timing(), fires);
    }

    private static Response preview(Timing timing, List<Instant> fires) {
        return Answer.ok(out -> out.object(() -> {
            out.text("description", timing.describe());
            ScheduleJson.times(out, "fires", fires);
        }));
    }
}
