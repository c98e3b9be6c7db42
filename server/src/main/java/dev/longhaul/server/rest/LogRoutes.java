package dev.longhaul.server.rest;

import com.linecorp.armeria.common.HttpResponse;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.AuditDetail;
import dev.longhaul.access.Role;
import dev.longhaul.server.http.Answer;
import dev.longhaul.server.http.Call;
import dev.longhaul.server.http.Fields;
import dev.longhaul.server.http.Problem;
import dev.longhaul.server.http.Route;
import java.util.List;

/** How much this server logs: until it ends, or until somebody says otherwise. */
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

    private HttpResponse get(Call call) {
        call.query().done();
        return answer();
    }

    private HttpResponse set(Call call) {
        Fields body = call.body();
        String wanted = body.requiredText("level");
        LogLevels levels = read(body, wanted);
        body.done();
        // Recorded first: a level in this process's memory and a row in the database cannot change together.
        String detail = new AuditDetail().change("level", level.get(), wanted).json();
        audit.record(call.caller().actor(), "log.level", wanted, detail);
        level.set(levels);
        return answer();
    }

    private static LogLevels read(Fields body, String wanted) {
        try {
            return LogLevels.parse(wanted);
        } catch (IllegalArgumentException e) {
            body.problem("level", Problem.brief(wanted), String.valueOf(e.getMessage()));
            return LogLevels.NONE;
        }
    }

    private HttpResponse answer() {
        String now = level.get();
        return Answer.ok(out -> out.object(() -> out.text("level", now)));
    }
}
