package org.example.shop;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Customers of this small shop need no login. The dashboard and the actuator do, except for health. */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {
    // region security
    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        http.authorizeHttpRequests(requests -> {
            requests.requestMatchers("/orders/**", "/invoices/**", "/error").permitAll();
            requests.requestMatchers("/actuator/health/**").permitAll();
            requests.anyRequest().hasRole("OPS"); // the dashboard at /longhaul, and the actuator
        });
        http.formLogin(withDefaults());
        http.csrf(csrf -> csrf.ignoringRequestMatchers("/orders/**")); // called without a session
        return http.build();
    }
    // endregion
}
