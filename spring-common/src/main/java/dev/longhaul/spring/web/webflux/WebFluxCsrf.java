package dev.longhaul.spring.web.webflux;

import dev.longhaul.spring.web.Csrf;
import java.util.function.Function;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** The CSRF token of Spring Security, if its protection is on. */
public final class WebFluxCsrf implements Function<ServerWebExchange, Mono<Csrf>> {
    @Override
    public Mono<Csrf> apply(ServerWebExchange exchange) {
        Mono<CsrfToken> token = exchange.getAttribute(CsrfToken.class.getName());
        return token == null ? Mono.empty() : token.map(one -> new Csrf(one.getHeaderName(), one.getToken()));
    }
}
