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
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.filter.DelegatingFilterProxy;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** An application with Spring MVC on Tomcat, whose context path is {@code /app}. */
final class TomcatSite implements Site {
    private final Tomcat tomcat = new Tomcat();
    private final AnnotationConfigWebApplicationContext spring = new AnnotationConfigWebApplicationContext();
    private final WebApi api;

    TomcatSite(Longhaul longhaul, boolean secured) throws Exception {
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
        spring.register(Web.class);
        if (secured) {
            spring.register(Security.class);
            secure(context);
        }
        var servlet = Tomcat.addServlet(context, "spring", new DispatcherServlet(spring));
        servlet.setLoadOnStartup(1);
        servlet.setAsyncSupported(true);
        context.addServletMappingDecoded("/", "spring");
        tomcat.getConnector();
        tomcat.start();
    }

    private void secure(Context context) {
        var filter = new FilterDef();
        filter.setFilterName("security");
        filter.setFilter(new DelegatingFilterProxy("springSecurityFilterChain", spring));
        filter.setAsyncSupported("true");
        context.addFilterDef(filter);
        var map = new FilterMap();
        map.setFilterName("security");
        map.addURLPattern("/*");
        context.addFilterMap(map);
    }

    @Configuration
    @EnableWebMvc
    static class Web {}

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
