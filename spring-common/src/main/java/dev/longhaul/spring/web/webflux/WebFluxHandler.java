package dev.longhaul.spring.web.webflux;

import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.SecurityHeaders;
import dev.longhaul.api.http.Status;
import dev.longhaul.spring.web.Csrf;
import dev.longhaul.spring.web.Head;
import dev.longhaul.spring.web.WebApi;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.RequestPath;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Serves the dashboard and the API with Spring WebFlux. Handlers block, so they run on threads of their own. */
public final class WebFluxHandler implements WebHandler {
    private final String path;
    private final WebApi api;
    private final Function<ServerWebExchange, Mono<Csrf>> csrf;
    private final Scheduler blocking;

    /**
     * @param path where it is served, below the application's context path, such as {@code /longhaul}
     * @param csrf the token of Spring Security for changes: {@link WebFluxCsrf} if it is on the class path
     */
    public WebFluxHandler(String path, WebApi api, Function<ServerWebExchange, Mono<Csrf>> csrf) {
        this.path = path;
        this.api = api;
        this.csrf = csrf;
        this.blocking = Schedulers.fromExecutor(api.blocking());
    }

    /** Maps the path and everything below it to this handler. */
    public SimpleUrlHandlerMapping mapping() {
        return new SimpleUrlHandlerMapping(Map.of(path + "/**", this), WebApi.MAPPING_ORDER);
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange) {
        Mono<Optional<Principal>> principal =
                exchange.getPrincipal().map(Optional::of).defaultIfEmpty(Optional.empty());
        Mono<Optional<Csrf>> token = token(exchange).map(Optional::of).defaultIfEmpty(Optional.empty());
        return principal
                .zipWith(token, (user, known) -> head(exchange, user, known))
                .flatMap(head -> Mono.fromCallable(() -> api.admit(head)).subscribeOn(blocking))
                .flatMap(admission -> admission instanceof WebApi.Rejected rejected
                        ? send(exchange, rejected.response())
                        : admitted(exchange, (WebApi.Admitted) admission));
    }

    /** Only for the session: reading the token creates it, and with it a session of Spring for each client without cookies. */
    private Mono<Csrf> token(ServerWebExchange exchange) {
        return below(exchange.getRequest().getPath()).equals(WebApi.SESSION) ? csrf.apply(exchange) : Mono.empty();
    }

    private String below(RequestPath parsed) {
        String below = parsed.pathWithinApplication().value();
        return below.startsWith(path) ? below.substring(path.length()) : below;
    }

    private Mono<Void> admitted(ServerWebExchange exchange, WebApi.Admitted admitted) {
        return DataBufferUtils.join(exchange.getRequest().getBody(), Math.max(1, admitted.largestBody()))
                .map(WebFluxHandler::bytes)
                .defaultIfEmpty(new byte[0])
                .publishOn(blocking)
                .map(body -> api.handle(admitted, body))
                .onErrorReturn(DataBufferLimitException.class, WebApi.tooLarge())
                .flatMap(response -> send(exchange, admitted, response));
    }

    private Mono<Void> send(ServerWebExchange exchange, WebApi.Admitted admitted, Response response) {
        if (response instanceof Response.Complete complete) {
            return send(exchange, complete);
        }
        if (response instanceof Response.Later later) {
            // Cancelling the response, when the client disconnects, cancels the future.
            return Mono.fromFuture(later.ready())
                    .publishOn(blocking)
                    .map(ready -> created(admitted, later))
                    .flatMap(complete -> send(exchange, complete));
        }
        var client = new ReactiveClient(exchange, api);
        try {
            ((Response.Events) response).opening().accept(client);
        } catch (RuntimeException e) {
            return send(exchange, api.failed(admitted, e));
        }
        start(exchange.getResponse(), Status.OK, Response.Events.HEADERS);
        return client.send();
    }

    private Response.Complete created(WebApi.Admitted admitted, Response.Later later) {
        try {
            return later.response().get();
        } catch (RuntimeException e) {
            return api.failed(admitted, e);
        }
    }

    private static Mono<Void> send(ServerWebExchange exchange, Response.Complete complete) {
        ServerHttpResponse response = exchange.getResponse();
        start(response, complete.status(), complete.headers());
        byte[] body = complete.body();
        if (body.length == 0) {
            return response.setComplete();
        }
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
    }

    private static void start(ServerHttpResponse response, int status, List<Response.Header> headers) {
        response.setStatusCode(HttpStatusCode.valueOf(status));
        HttpHeaders all = response.getHeaders();
        SecurityHeaders.ALL.forEach(header -> all.set(header.name(), header.value()));
        headers.forEach(header -> all.set(header.name(), header.value()));
    }

    private static byte[] bytes(DataBuffer buffer) {
        try {
            byte[] bytes = new byte[buffer.readableByteCount()];
            buffer.read(bytes);
            return bytes;
        } finally {
            DataBufferUtils.release(buffer);
        }
    }

    /** Not {@code headers.get}: its signature differs between Spring 6 and 7. */
    private static List<String> values(HttpHeaders headers, String name) {
        return headers.headerSet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase(name))
                .flatMap(header -> header.getValue().stream())
                .toList();
    }

    private Head head(ServerWebExchange exchange, Optional<Principal> user, Optional<Csrf> token) {
        ServerHttpRequest request = exchange.getRequest();
        RequestPath parsed = request.getPath();
        return new Head(
                request.getMethod().name(),
                parsed.contextPath().value() + path,
                below(parsed),
                request.getURI().getRawQuery(),
                name -> values(request.getHeaders(), name),
                user.orElse(null),
                request.getRemoteAddress(),
                request.getLocalAddress(),
                () -> token.orElse(null));
    }
}
