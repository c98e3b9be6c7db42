package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.Store;
import dev.longhaul.spring.web.Callers;
import dev.longhaul.spring.web.Head;
import dev.longhaul.spring.web.LoopbackCallers;
import dev.longhaul.spring.web.SecurityCallers;
import dev.longhaul.spring.web.WebApi;
import dev.longhaul.spring.web.mvc.MvcHandler;
import dev.longhaul.spring.web.webflux.WebFluxHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.web.server.adapter.ForwardedHeaderTransformer;

@Tag("full")
class DashboardConditionsTest {
    private static final String ENABLED = "longhaul.dashboard.enabled=true";
    private static final FilteredClassLoader WITHOUT_SECURITY = new FilteredClassLoader("org.springframework.security");

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        JobDefinition<String, String> greet() {
            return JobDefinition.of("greet", String.class, String.class).handler((name, context) -> name);
        }
    }

    private static <R extends AbstractApplicationContextRunner<R, ?, ?>> R inMemory(R runner) {
        return runner.withPropertyValues(TestContexts.NO_DATA_SOURCE).withBean(Store.class, MemoryStore::new);
    }

    private static WebApplicationContextRunner mvc() {
        return inMemory(new WebApplicationContextRunner()).withUserConfiguration(App.class);
    }

    private static ReactiveWebApplicationContextRunner webFlux() {
        return inMemory(new ReactiveWebApplicationContextRunner()).withUserConfiguration(App.class);
    }

    private static LonghaulConfigurationException refusal(@Nullable Throwable failure) {
        Throwable root = NestedExceptionUtils.getRootCause(Objects.requireNonNull(failure));
        return (LonghaulConfigurationException) Objects.requireNonNull(root);
    }

    @Test
    void disabled_by_default() {
        mvc().run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WebApi.class));
        webFlux().run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WebApi.class));
    }

    @Test
    void without_longhaul_there_is_no_dashboard() {
        mvc().withPropertyValues(ENABLED, "longhaul.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WebApi.class));
    }

    @Test
    void an_application_with_spring_mvc_serves_it() {
        mvc().withPropertyValues(ENABLED).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(WebApi.class).hasSingleBean(MvcHandler.class);
            assertThat(context.getBean(Callers.class)).isInstanceOf(SecurityCallers.class);
        });
    }

    @Test
    void an_application_with_webflux_serves_it() {
        webFlux().withPropertyValues(ENABLED).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(WebApi.class).hasSingleBean(WebFluxHandler.class);
            assertThat(context.getBean(Callers.class)).isInstanceOf(SecurityCallers.class);
        });
    }

    @Test
    void an_application_that_starts_no_server_runs_without_it() {
        inMemory(new ApplicationContextRunner())
                .withUserConfiguration(App.class)
                .withPropertyValues(ENABLED)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WebApi.class));
    }

    @Test
    void without_spring_security_it_serves_this_machine_only() {
        mvc().withPropertyValues(ENABLED).withClassLoader(WITHOUT_SECURITY).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(MvcHandler.class);
            assertThat(context.getBean(Callers.class)).isInstanceOf(LoopbackCallers.class);
        });
        webFlux().withPropertyValues(ENABLED).withClassLoader(WITHOUT_SECURITY).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(WebFluxHandler.class);
            assertThat(context.getBean(Callers.class)).isInstanceOf(LoopbackCallers.class);
        });
    }

    /** A proxy on this machine connects from a loopback address, so a server that trusts its headers serves nobody. */
    @Test
    void without_spring_security_a_server_behind_a_proxy_serves_nobody() {
        for (String setting : new String[] {
            "server.forward-headers-strategy=framework",
            "server.forward-headers-strategy=native",
            "server.tomcat.remoteip.remote-ip-header=x-client",
            "server.tomcat.remoteip.protocol-header=x-proto",
            "spring.main.cloud-platform=kubernetes"
        }) {
            mvc().withPropertyValues(ENABLED, setting)
                    .withClassLoader(WITHOUT_SECURITY)
                    .run(context -> assertThat(refuses(context.getBean(Callers.class)))
                            .as(setting)
                            .isTrue());
        }
        webFlux()
                .withPropertyValues(ENABLED)
                .withClassLoader(WITHOUT_SECURITY)
                .withBean("forwardedHeaderTransformer", ForwardedHeaderTransformer.class)
                .run(context ->
                        assertThat(refuses(context.getBean(Callers.class))).isTrue());
        mvc().withPropertyValues(ENABLED, "server.forward-headers-strategy=none")
                .withClassLoader(WITHOUT_SECURITY)
                .run(context ->
                        assertThat(refuses(context.getBean(Callers.class))).isFalse());
    }

    /** Whether a request of this machine is rejected because it may be forwarded. */
    private static boolean refuses(Callers callers) {
        var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 8080);
        var request = new Head(
                "GET",
                "/longhaul",
                "/",
                null,
                name -> name.equals("host") ? List.of("localhost:8080") : List.of(),
                null,
                here,
                here,
                () -> null);
        try {
            callers.guard(request);
            return false;
        } catch (LonghaulException e) {
            assertThat(e).hasMessageContaining("and no proxy");
            return true;
        }
    }

    @Test
    void callers_of_the_application_replace_ours() {
        Callers own = new LoopbackCallers(true);
        mvc().withPropertyValues(ENABLED)
                .withBean(Callers.class, () -> own)
                .run(context -> assertThat(context.getBean(Callers.class)).isSameAs(own));
    }

    @Test
    void without_the_module_api_it_fails_with_the_dependency() {
        mvc().withPropertyValues(ENABLED)
                .withClassLoader(new FilteredClassLoader("dev.longhaul.api"))
                .run(context -> assertThat(refusal(context.getStartupFailure()).action())
                        .contains("dev.longhaul:longhaul-api"));
        mvc().withClassLoader(new FilteredClassLoader("dev.longhaul.api"))
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Auto-configurations by name, because those of Spring Boot for the web do not load without its classes. */
    @Test
    void without_a_web_framework_it_fails_with_the_dependency() {
        inMemory(new ApplicationContextRunner())
                .withConfiguration(AutoConfigurations.of(TestContexts.jdbcAndLonghaul()))
                .withPropertyValues(ENABLED)
                .withClassLoader(
                        new FilteredClassLoader("org.springframework.web.servlet", "org.springframework.web.reactive"))
                .run(context -> assertThat(refusal(context.getStartupFailure()).action())
                        .contains("spring-boot-starter-web", "spring-boot-starter-webflux"));
    }

    @Test
    void a_path_that_hides_the_application_is_refused() {
        for (String path : new String[] {"/", "", "longhaul", "/{all}", "/*"}) {
            mvc().withPropertyValues(ENABLED, "longhaul.dashboard.path=" + path)
                    .run(context -> assertThat(refusal(context.getStartupFailure()))
                            .hasMessageContaining("longhaul.dashboard.path: " + path + " (expected:"));
        }
    }

    @Test
    void an_unknown_role_is_refused() {
        mvc().withPropertyValues(ENABLED, "longhaul.dashboard.roles[ROLE_OPS]=worker")
                .run(context -> assertThat(refusal(context.getStartupFailure()))
                        .hasMessageContaining("longhaul.dashboard.roles[ROLE_OPS]: worker (expected: one of"
                                + " [viewer, submitter, operator, admin])"));
    }
}
