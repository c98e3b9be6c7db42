package dev.longhaul.spring.autoconfigure;

import dev.longhaul.Longhaul;
import dev.longhaul.api.ApiRoutes;
import dev.longhaul.api.rest.RequestTracing;
import dev.longhaul.spring.LonghaulConfigurationException;
import dev.longhaul.spring.web.Callers;
import dev.longhaul.spring.web.WebApi;
import dev.longhaul.spring.web.mvc.MvcCsrf;
import dev.longhaul.spring.web.mvc.MvcHandler;
import dev.longhaul.spring.web.webflux.WebFluxCsrf;
import dev.longhaul.spring.web.webflux.WebFluxHandler;
import jakarta.servlet.ServletContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import reactor.core.publisher.Mono;

/** Serves the dashboard and the REST API on the application's port, behind its Spring Security. */
@AutoConfiguration(after = LonghaulAutoConfiguration.class)
@ConditionalOnProperty(prefix = "longhaul", name = "enabled", havingValue = "true", matchIfMissing = true)
@ConditionalOnProperty(prefix = "longhaul.dashboard", name = "enabled", havingValue = "true")
public class LonghaulWebAutoConfiguration {
    private static final String CSRF = "org.springframework.security.web.csrf.CsrfToken";
    private static final String MAPPING = "longhaulHandlerMapping";

    /** The routes, for both web frameworks. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    @ConditionalOnClass(ApiRoutes.class)
    static class Api {
        @Bean
        @ConditionalOnMissingBean
        Callers longhaulCallers(LonghaulProperties properties, ApplicationContext context) {
            return DashboardSettings.callers(properties.dashboard().roles(), context);
        }

        @Bean
        @ConditionalOnMissingBean
        RequestTracing longhaulRequestTracing() {
            return RequestTracing.OFF;
        }

        /** Not lazy, even if the application's beans are: a lazy one would not be stopped. */
        @Bean
        @Lazy(false)
        @ConditionalOnMissingBean
        StreamsLifecycle longhaulStreamsLifecycle(ObjectProvider<WebApi> api) {
            return new StreamsLifecycle(api);
        }
    }

    /** With Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({ApiRoutes.class, DispatcherServlet.class})
    static class Mvc {
        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        WebApi longhaulWebApi(
                Longhaul longhaul,
                Callers callers,
                RequestTracing tracing,
                LonghaulProperties properties,
                ServletContext servlets,
                Environment environment) {
            String servlet = environment.getProperty("spring.mvc.servlet.path", "");
            String base = servlets.getContextPath() + DashboardSettings.withoutSlash(servlet);
            return new WebApi(longhaul, callers, tracing, base + DashboardSettings.path(properties));
        }

        @Bean
        @ConditionalOnMissingBean
        MvcHandler longhaulMvcHandler(WebApi api, LonghaulProperties properties, ApplicationContext context) {
            boolean csrf = ClassUtils.isPresent(CSRF, context.getClassLoader());
            return new MvcHandler(DashboardSettings.path(properties), api, csrf ? new MvcCsrf() : request -> null);
        }

        @Bean(MAPPING)
        @ConditionalOnMissingBean(name = MAPPING)
        SimpleUrlHandlerMapping longhaulHandlerMapping(MvcHandler handler) {
            return handler.mapping();
        }
    }

    /** With Spring WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({ApiRoutes.class, DispatcherHandler.class})
    static class WebFlux {
        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        WebApi longhaulWebApi(
                Longhaul longhaul,
                Callers callers,
                RequestTracing tracing,
                LonghaulProperties properties,
                Environment environment) {
            String base = DashboardSettings.withoutSlash(environment.getProperty("spring.webflux.base-path", ""));
            return new WebApi(longhaul, callers, tracing, base + DashboardSettings.path(properties));
        }

        @Bean
        @ConditionalOnMissingBean
        WebFluxHandler longhaulWebFluxHandler(WebApi api, LonghaulProperties properties, ApplicationContext context) {
            boolean csrf = ClassUtils.isPresent(CSRF, context.getClassLoader());
            return new WebFluxHandler(
                    DashboardSettings.path(properties), api, csrf ? new WebFluxCsrf() : exchange -> Mono.empty());
        }

        @Bean(MAPPING)
        @ConditionalOnMissingBean(name = MAPPING)
        org.springframework.web.reactive.handler.SimpleUrlHandlerMapping longhaulHandlerMapping(
                WebFluxHandler handler) {
            return handler.mapping();
        }
    }

    /** Fails the start. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("dev.longhaul.api.ApiRoutes")
    static class WithoutApi {
        WithoutApi() {
            throw new LonghaulConfigurationException(
                    "longhaul.dashboard.enabled is true, but the class path lacks the module of the dashboard.",
                    "Add the dependency dev.longhaul:longhaul-api, or set longhaul.dashboard.enabled=false.");
        }
    }

    /** Fails the start. An application that has a web framework but starts no server has no dashboard. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass({
        "org.springframework.web.servlet.DispatcherServlet",
        "org.springframework.web.reactive.DispatcherHandler"
    })
    static class WithoutWeb {
        WithoutWeb() {
            throw new LonghaulConfigurationException(
                    "longhaul.dashboard.enabled is true, but the application has neither Spring MVC nor Spring WebFlux.",
                    "Add the dependency spring-boot-starter-web (Spring Boot 4: spring-boot-starter-webmvc) or"
                            + " spring-boot-starter-webflux, or set longhaul.dashboard.enabled=false.");
        }
    }
}
