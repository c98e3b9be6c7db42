package dev.longhaul.server.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.server.access.Access;
import dev.longhaul.server.access.Caller;
import dev.longhaul.server.access.LastingRights;
import java.time.Duration;

/** Serves one route: lets only those in who may, reads the body, and turns what goes wrong into a problem. */
public final class RouteService implements HttpService {
    /** A database that has gone silent is told of in time; what it was asked may still be done. */
    public static final Duration ANSWER = Duration.ofMillis(4500);

    /** What may take its time: the body of a request, and routes that say so. */
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Route route;
    private final Access access;
    private final LastingRights rights;

    public RouteService(Route route, Access access) {
        this.route = route;
        this.access = access;
        this.rights = new LastingRights(access);
    }

    @Override
    public HttpResponse serve(ServiceRequestContext context, HttpRequest request) {
        return HttpResponse.of(() -> admitted(context, request), context.blockingTaskExecutor());
    }

    /** Who may not send the request is told before its body is read. */
    private HttpResponse admitted(ServiceRequestContext context, HttpRequest request) {
        try {
            Caller caller = access.allowed(context, route);
            if (route.largestBody() > 0) {
                context.setRequestTimeout(TimeoutMode.SET_FROM_NOW, LONG);
            }
            return HttpResponse.of(request.aggregate()
                    .thenApplyAsync(
                            whole -> answered(new Call(context, whole, caller)), context.blockingTaskExecutor()));
        } catch (Exception | Error e) {
            return Problem.afterReading(request, Failures.answer(route, e));
        }
    }

    private HttpResponse answered(Call call) {
        try {
            if (route.largestBody() > 0 && !route.takesLong()) {
                call.context().setRequestTimeout(TimeoutMode.SET_FROM_NOW, ANSWER);
            }
            if (!Caller.reads(route.method())) {
                // Only reading takes parameters; those routes ask for their own.
                call.query().done();
            }
            HttpResponse response =
                    call.caller().actor().call(() -> route.handler().handle(call));
            if (call.context().requestTimeoutMillis() == 0) {
                // It may go on for ever; the right to it may not.
                rights.watch(call.context(), call.caller(), response::abort);
            }
            return response;
        } catch (Exception | Error e) {
            access.audit().denied(call.context(), call.caller(), route, e);
            return Failures.answer(route, e);
        }
    }
}
