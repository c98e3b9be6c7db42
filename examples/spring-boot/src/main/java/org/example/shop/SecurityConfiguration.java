package org.example.shop;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Customers need no login. The dashboard and the actuator do, except the health. */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {
    // region security
    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/orders/**", "/invoices/**")
                        .permitAll()
                        .requestMatchers("/actuator/health/**")
                        .permitAll()
                        .anyRequest()
                        .hasRole("OPS"))
                .formLogin(withDefaults())
                .csrf(csrf -> csrf.ignoringRequestMatchers("/orders/**"))
                .build();
    }
    // endregion
}
