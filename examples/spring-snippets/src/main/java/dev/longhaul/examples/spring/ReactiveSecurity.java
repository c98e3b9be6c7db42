package dev.longhaul.examples.spring;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** The rules of a WebFlux application, as those of the shop with Spring MVC. */
@Configuration(proxyBeanMethods = false)
public class ReactiveSecurity {
    // region reactive-security
    @Bean
    SecurityWebFilterChain security(ServerHttpSecurity http) {
        http.authorizeExchange(requests -> {
            requests.pathMatchers("/longhaul/**", "/actuator/**").hasRole("OPS");
            requests.anyExchange().permitAll();
        });
        http.formLogin(withDefaults());
        return http.build();
    }
    // endregion
}
