package dev.longhaul.spring.web.webflux;

import static org.springframework.security.config.Customizer.withDefaults;

import dev.longhaul.Longhaul;
import dev.longhaul.api.rest.RequestTracing;
import dev.longhaul.spring.web.AuthorityRoles;
import dev.longhaul.spring.web.LoopbackCallers;
import dev.longhaul.spring.web.SecurityCallers;
import dev.longhaul.spring.web.Site;
import dev.longhaul.spring.web.Users;
import dev.longhaul.spring.web.WebApi;
import java.util.Map;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.ContextPathCompositeHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** An application with Spring WebFlux on Reactor Netty, whose base path is {@code /app}. */
final class NettySite implements Site {
    private final AnnotationConfigApplicationContext spring = new AnnotationConfigApplicationContext();
    private final DisposableServer server;
    private final WebApi api;

    NettySite(Longhaul longhaul, boolean secured) {
        var callers = secured ? new SecurityCallers(AuthorityRoles.USUAL) : new LoopbackCallers(false);
        this.api = new WebApi(longhaul, callers, RequestTracing.OFF, "/app/longhaul");
        spring.registerBean(
                "longhaul",
                SimpleUrlHandlerMapping.class,
                () -> new WebFluxHandler("/longhaul", api, secured ? new WebFluxCsrf() : exchange -> Mono.empty())
                        .mapping());
        spring.register(Web.class, Pages.class);
        if (secured) {
            spring.register(Security.class);
        }
        spring.refresh();
        var handler = new ContextPathCompositeHandler(
                Map.of("/app", WebHttpHandlerBuilder.applicationContext(spring).build()));
        this.server = HttpServer.create()
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(handler))
                .bindNow();
    }

    @Configuration
    @EnableWebFlux
    static class Web {
        @Bean
        RouterFunction<ServerResponse> page() {
            return RouterFunctions.route(
                    RequestPredicates.path("/**"),
                    request -> ServerResponse.ok().bodyValue("the application"));
        }
    }

    /** The application's own pages, which also match the paths of the dashboard. */
    @RestController
    static class Pages {
        @RequestMapping("/**")
        String page() {
            return "the application";
        }
    }

    @Configuration
    @EnableWebFluxSecurity
    static class Security {
        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.authorizeExchange(all -> all.anyExchange().authenticated())
                    .formLogin(withDefaults())
                    .httpBasic(withDefaults())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(Users.all());
        }
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public WebApi api() {
        return api;
    }

    @Override
    public void close() {
        api.close();
        server.disposeNow();
        spring.close();
    }
}
