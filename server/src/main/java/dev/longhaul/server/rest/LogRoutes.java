package dev.longhaul.server.rest;

import dev.longhaul.access.AccessStore;
import dev.longhaul.access.AuditDetail;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import java.util.List;

/** Reads and changes this server's log level, until its next restart. */
public final class LogRoutes {
    private final LogLevel level;
    private final AccessStore audit;

    public LogRoutes(LogLevel level, AccessStore audit) {
        this.level = level;
        this.audit = audit;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/log-level", Role.ADMIN, this::get), Route.put("/v1/log-level", Role.ADMIN, this::set));
    }

    private Response get(Call call) {
        call.query().done();
        return response();
    }

    private Response set(Call call) {
        Fields body = call.body();
        String requested = body.requiredText("level");
        LogLevels levels = read(body, requested);
        body.done();
        // Recorded before the change, because the level in memory and the audit entry cannot change atomically.
        String detail =
                new AuditDetail().change("level", level.get(), requested).json();
        audit.record(call.caller().actor(), "log.level", requested, detail);
        level.set(levels);
        return response();
    }

    private static LogLevels read(Fields body, String requested) {
        try {
            return LogLevels.parse(requested);
        } catch (IllegalArgumentException e) {
            body.problem("level", Problem.brief(requested), String.valueOf(e.getMessage()));
            return LogLevels.NONE;
        }
    }

    private Response response() {
        String now = level.get();
        return Answer.ok(out -> out.object(() -> out.text("level", now)));
    }
}
