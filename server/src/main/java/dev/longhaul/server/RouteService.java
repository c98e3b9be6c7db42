package dev.longhaul.server;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;

/** Serves one route: reads the body, lets only those in who may, and turns what goes wrong into a problem. */
final class RouteService implements HttpService {
    private final Route route;
    private final Access access;

    RouteService(Route route, Access access) {
        this.route = route;
        this.access = access;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext context, HttpRequest request) {
        return HttpResponse.of(request.aggregate()
                .thenApplyAsync(
                        whole -> {
                            try {
                                Caller caller = access.allowed(context, route);
                                return route.handler().handle(new Call(context, whole, caller));
                            } catch (Exception | Error e) {
                                return Failures.answer(route, e);
                            }
                        },
                        context.blockingTaskExecutor()));
    }
}
