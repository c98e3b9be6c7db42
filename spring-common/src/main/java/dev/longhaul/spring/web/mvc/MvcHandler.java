package dev.longhaul.spring.web.mvc;

import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.SecurityHeaders;
import dev.longhaul.spring.web.Csrf;
import dev.longhaul.spring.web.Head;
import dev.longhaul.spring.web.WebApi;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.server.RequestPath;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** Serves the dashboard and the API with Spring MVC. Streams and long polls hold no thread. */
public final class MvcHandler implements HttpRequestHandler {
    private static final Logger LOG = LoggerFactory.getLogger(MvcHandler.class);

    private final String path;
    private final WebApi api;
    private final Function<HttpServletRequest, @Nullable Csrf> csrf;

    /**
     * @param path where it is served, below the application's context path, such as {@code /longhaul}
     * @param csrf the token of Spring Security for changes: {@link MvcCsrf} if it is on the class path
     */
    public MvcHandler(String path, WebApi api, Function<HttpServletRequest, @Nullable Csrf> csrf) {
        this.path = path;
        this.api = api;
        this.csrf = csrf;
    }

    /** Maps the path and everything below it to this handler. */
    public SimpleUrlHandlerMapping mapping() {
        var mapping = new SimpleUrlHandlerMapping(Map.of(path + "/**", this));
        mapping.setOrder(WebApi.MAPPING_ORDER);
        return mapping;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response) throws IOException {
        WebApi.Admission admission = api.admit(head(request));
        if (admission instanceof WebApi.Rejected rejected) {
            send(response, rejected.response());
            return;
        }
        var admitted = (WebApi.Admitted) admission;
        // One byte more than allowed shows that the body is too long.
        byte[] body = request.getInputStream().readNBytes(admitted.largestBody() + 1);
        if (body.length > admitted.largestBody()) {
            send(response, WebApi.tooLarge());
            return;
        }
        Response answer = api.handle(admitted, body);
        if (answer instanceof Response.Complete complete) {
            send(response, complete);
        } else if (answer instanceof Response.Later later) {
            later(request, response, admitted, later);
        } else {
            stream(request, response, admitted, (Response.Events) answer);
        }
    }

    private void later(
            HttpServletRequest request, HttpServletResponse response, WebApi.Admitted admitted, Response.Later later) {
        AsyncContext async = request.startAsync(request, response);
        async.setTimeout(0);
        async.addListener(new AsyncEnd(() -> later.ready().cancel(false)));
        var unused = later.ready()
                .handleAsync(
                        (ready, failure) -> {
                            if (!later.ready().isCancelled()) {
                                finish(async, response, admitted, later);
                            }
                            return null;
                        },
                        api.blocking());
    }

    private void finish(
            AsyncContext async, HttpServletResponse response, WebApi.Admitted admitted, Response.Later later) {
        try {
            send(response, created(admitted, later));
        } catch (IOException e) {
            LOG.debug("the client of {} has disconnected", admitted.route(), e);
        } finally {
            async.complete();
        }
    }

    private Response.Complete created(WebApi.Admitted admitted, Response.Later later) {
        try {
            return later.response().get();
        } catch (RuntimeException e) {
            return api.failed(admitted, e);
        }
    }

    private void stream(
            HttpServletRequest request, HttpServletResponse response, WebApi.Admitted admitted, Response.Events events)
            throws IOException {
        var client = new ServletClient(request, response, api);
        try {
            events.opening().accept(client);
        } catch (RuntimeException e) {
            send(response, api.failed(admitted, e));
            return;
        }
        setHeaders(response, Response.Events.HEADERS);
        try {
            client.start();
        } catch (IOException | RuntimeException e) {
            client.end();
            throw e;
        }
    }

    private static void send(HttpServletResponse response, Response.Complete complete) throws IOException {
        response.setStatus(complete.status());
        setHeaders(response, complete.headers());
        if (complete.body().length > 0) {
            response.setContentLength(complete.body().length);
            response.getOutputStream().write(complete.body());
        }
    }

    private static void setHeaders(HttpServletResponse response, List<Response.Header> headers) {
        SecurityHeaders.ALL.forEach(header -> response.setHeader(header.name(), header.value()));
        headers.forEach(header -> response.setHeader(header.name(), header.value()));
    }

    private Head head(HttpServletRequest request) {
        RequestPath parsed = ServletRequestPathUtils.hasParsedRequestPath(request)
                ? ServletRequestPathUtils.getParsedRequestPath(request)
                : ServletRequestPathUtils.parseAndCache(request);
        String below = parsed.pathWithinApplication().value();
        return new Head(
                request.getMethod(),
                parsed.contextPath().value() + path,
                below.startsWith(path) ? below.substring(path.length()) : below,
                request.getQueryString(),
                name -> values(request, name),
                request.getUserPrincipal(),
                address(request.getRemoteAddr(), request.getRemotePort()),
                address(request.getLocalAddr(), request.getLocalPort()),
                () -> csrf.apply(request));
    }

    /**
     * The values of a header. If there are none, those that a filter has removed: Spring's {@code ForwardedHeaderFilter}
     * takes the client's address from headers and hides them.
     */
    private static List<String> values(HttpServletRequest request, String name) {
        List<String> values = Collections.list(request.getHeaders(name));
        boolean wrapped = values.isEmpty()
                && request instanceof HttpServletRequestWrapper wrapper
                && wrapper.getRequest() instanceof HttpServletRequest;
        return wrapped ? values((HttpServletRequest) ((HttpServletRequestWrapper) request).getRequest(), name) : values;
    }

    private static @Nullable InetSocketAddress address(@Nullable String literal, int port) {
        // Literal addresses only: a name would be looked up.
        boolean known = literal != null && !literal.isEmpty() && literal.matches("[0-9a-fA-F:.%\\[\\]]+");
        return known ? new InetSocketAddress(literal, Math.max(0, port)) : null;
    }
}
