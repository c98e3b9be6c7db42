package dev.longhaul.spring.web.mvc;

import static org.springframework.security.config.Customizer.withDefaults;

import dev.longhaul.Longhaul;
import dev.longhaul.api.rest.RequestTracing;
import dev.longhaul.spring.web.AuthorityRoles;
import dev.longhaul.spring.web.LoopbackCallers;
import dev.longhaul.spring.web.SecurityCallers;
import dev.longhaul.spring.web.Site;
import dev.longhaul.spring.web.Users;
import dev.longhaul.spring.web.WebApi;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;
import org.springframework.security.web.csrf.CsrfTokenRequestHandler;
import org.springframework.security.web.csrf.XorCsrfTokenRequestAttributeHandler;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.filter.DelegatingFilterProxy;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * An application with Spring MVC on Tomcat, whose context path is {@code /app}. Without Spring Security, a filter takes the
 * client's address from headers and hides them.
 */
final class TomcatSite implements Site {
    private final Tomcat tomcat = new Tomcat();
    private final AnnotationConfigWebApplicationContext spring = new AnnotationConfigWebApplicationContext();
    private final WebApi api;

    TomcatSite(Longhaul longhaul, boolean secured) throws Exception {
        this(longhaul, secured ? Security.class : null);
    }

    /** @param security the application's configuration of Spring Security, besides its users; null without it */
    TomcatSite(Longhaul longhaul, @Nullable Class<?> security) throws Exception {
        boolean secured = security != null;
        var callers = secured ? new SecurityCallers(AuthorityRoles.USUAL) : new LoopbackCallers(false);
        this.api = new WebApi(longhaul, callers, RequestTracing.OFF, "/app/longhaul");
        Path directory = Files.createTempDirectory("longhaul-tomcat");
        tomcat.setBaseDir(directory.toString());
        tomcat.setPort(0);
        tomcat.setHostname("localhost");
        Context context = tomcat.addContext("/app", directory.toString());
        spring.setServletContext(context.getServletContext());
        var handler = new MvcHandler("/longhaul", api, secured ? new MvcCsrf() : request -> null);
        var mapping = BeanDefinitionBuilder.genericBeanDefinition(SimpleUrlHandlerMapping.class, handler::mapping)
                .getBeanDefinition();
        spring.addBeanFactoryPostProcessor(
                factory -> ((BeanDefinitionRegistry) factory).registerBeanDefinition("longhaul", mapping));
        spring.register(Web.class, Pages.class);
        if (security != null) {
            spring.register(security, Accounts.class);
            filter(context, "security", new DelegatingFilterProxy("springSecurityFilterChain", spring));
        } else {
            filter(context, "forwarded", new ForwardedHeaderFilter());
        }
        var servlet = Tomcat.addServlet(context, "spring", new DispatcherServlet(spring));
        servlet.setLoadOnStartup(1);
        servlet.setAsyncSupported(true);
        context.addServletMappingDecoded("/", "spring");
        tomcat.getConnector();
        tomcat.start();
    }

    private static void filter(Context context, String name, Filter filter) {
        var definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        var map = new FilterMap();
        map.setFilterName(name);
        map.addURLPattern("/*");
        context.addFilterMap(map);
    }

    @Configuration
    @EnableWebMvc
    static class Web {
        @Bean
        RouterFunction<ServerResponse> page() {
            return RouterFunctions.route(
                    RequestPredicates.path("/**"),
                    request -> ServerResponse.ok().body("the application"));
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
    @EnableWebSecurity
    static class Security {
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
                    .formLogin(withDefaults())
                    .httpBasic(withDefaults())
                    .build();
        }
    }

    /** Keeps the CSRF token in a cookie that scripts send back, as Spring Security's documentation describes it. */
    @Configuration
    @EnableWebSecurity
    static class SinglePageSecurity {
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
                    .formLogin(withDefaults())
                    .csrf(csrf -> csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse())
                            .csrfTokenRequestHandler(new SinglePageTokens()))
                    .build();
        }
    }

    /** Takes the plain token from the header, and a masked one from a form. */
    private static final class SinglePageTokens implements CsrfTokenRequestHandler {
        private final CsrfTokenRequestHandler plain = new CsrfTokenRequestAttributeHandler();
        private final CsrfTokenRequestHandler masked = new XorCsrfTokenRequestAttributeHandler();

        @Override
        public void handle(HttpServletRequest request, HttpServletResponse response, Supplier<CsrfToken> token) {
            masked.handle(request, response, token);
            var unused = token.get().getToken(); // sends the cookie
        }

        @Override
        public @Nullable String resolveCsrfTokenValue(HttpServletRequest request, CsrfToken token) {
            boolean sentByScript = request.getHeader(token.getHeaderName()) != null;
            return (sentByScript ? plain : masked).resolveCsrfTokenValue(request, token);
        }
    }

    @Configuration
    static class Accounts {
        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(Users.all());
        }
    }

    @Override
    public int port() {
        return tomcat.getConnector().getLocalPort();
    }

    @Override
    public WebApi api() {
        return api;
    }

    @Override
    public void close() {
        api.close();
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            throw new IllegalStateException(e);
        }
    }
}
