package dev.longhaul.spring.web;

import dev.longhaul.Longhaul;
import dev.longhaul.api.ApiRoutes;
import dev.longhaul.api.access.AccessAudit;
import dev.longhaul.api.dashboard.DashboardRoutes;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Failures;
import dev.longhaul.api.http.Method;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import dev.longhaul.api.rest.RequestTracing;
import dev.longhaul.api.stream.JobStreams;
import dev.longhaul.error.LonghaulException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** Serves the routes of the API and the dashboard: finds the route, checks the caller, runs the handler. */
public final class WebApi implements AutoCloseable {
    /**
     * Among Spring's handler mappings: before the application's router functions (-1) and controllers (0), which may
     * match every path, and after the actuator (-100).
     */
    public static final int MAPPING_ORDER = -2;

    /** Who is logged in, and the CSRF token. */
    public static final String SESSION = "/v1/session";

    private final RouteTable routes;
    private final Callers callers;
    private final AccessAudit audit;
    private final JobStreams live;
    private final WebThreads threads = new WebThreads();

    /**
     * @param basePath where clients reach the API, with the application's context path, such as {@code /longhaul}
     */
    public WebApi(Longhaul longhaul, Callers callers, RequestTracing tracing, String basePath) {
        this.callers = callers;
        this.audit = new AccessAudit(longhaul.store().access());
        this.live = new JobStreams(longhaul.store());
        var all = new ArrayList<Route>(
                ApiRoutes.of(longhaul, live, audit, tracing, basePath.isEmpty() ? null : URI.create(basePath)));
        all.addAll(new DashboardRoutes(null).routes());
        all.add(SessionRoute.of());
        this.routes = new RouteTable(all);
    }

    /** The outcome of the checks that need no body. */
    public sealed interface Admission {}

    /** The response to a rejected request. */
    public record Rejected(Response.Complete response) implements Admission {}

    /** A request that may be read. */
    public record Admitted(Head head, Route route, Map<String, String> parameters, Caller caller) implements Admission {
        /** Bytes; a longer body is rejected. */
        public int largestBody() {
            return route.largestBody();
        }
    }

    /** Checks the caller before the body is read. May block. */
    public Admission admit(Head head) {
        try {
            callers.guard(head);
            RouteTable.Match match = routes.find(head.method(), head.path());
            if (match == null) {
                return new Rejected(missing(head));
            }
            return new Admitted(head, match.route(), match.parameters(), caller(head, match.route()));
        } catch (LonghaulException e) {
            return new Rejected(Problem.of(e));
        } catch (RuntimeException e) {
            return new Rejected(Failures.answer(head.method() + " " + head.path(), e));
        }
    }

    private Caller caller(Head head, Route route) {
        if (route.role() == null) {
            return Caller.ANYBODY;
        }
        Caller caller = callers.of(head);
        try {
            caller.require(route.role(), route);
        } catch (LonghaulException e) {
            audit.denied(threads.blocking(), caller, route, e);
            throw e;
        }
        return caller;
    }

    private Response.Complete missing(Head head) {
        if (head.path().isEmpty()) {
            // The dashboard's addresses are relative to its page. This one, too: a proxy may serve it below another
            // path.
            String last = head.basePath().substring(head.basePath().lastIndexOf('/') + 1);
            return Response.of(Status.SEE_OTHER).with("location", last + "/");
        }
        List<Method> methods = routes.methods(head.path());
        return methods.isEmpty()
                ? Problem.of(Failures.noSuchPath(head.path()))
                : Failures.otherMethod(head.method(), methods);
    }

    /** Handles a request; may block. */
    public Response handle(Admitted admitted, byte[] body) {
        try {
            var request = new WebRequest(admitted.head(), admitted.parameters(), body);
            return admitted.route().handle(new Call(request, admitted.caller()));
        } catch (Exception | Error e) {
            return failed(admitted, e);
        }
    }

    /** The error response of a route. */
    public Response.Complete failed(Admitted admitted, Throwable failure) {
        audit.denied(threads.blocking(), admitted.caller(), admitted.route(), failure);
        return Failures.answer(admitted.route(), failure);
    }

    /** The response to a body longer than {@link Admitted#largestBody}. */
    public static Response.Complete tooLarge() {
        return Problem.of(Failures.tooLarge());
    }

    /** Threads for handlers that block. */
    public Executor blocking() {
        return threads.blocking();
    }

    /** The thread for short tasks of streams. */
    public ScheduledExecutorService timer() {
        return threads.timer();
    }

    /** Open streams of this application. */
    public int streams() {
        return live.streams();
    }

    /** Ends all streams with a request to reconnect. */
    public void drain() {
        live.close();
    }

    @Override
    public void close() {
        drain();
        audit.close();
        threads.close();
    }
}
