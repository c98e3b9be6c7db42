package dev.longhaul.spring.actuate;

import dev.longhaul.Longhaul;
import dev.longhaul.spring.autoconfigure.LonghaulAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code longhaul} of Spring Boot's Actuator. */
@AutoConfiguration(after = LonghaulAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(Longhaul.class)
public class LonghaulEndpointAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(endpoint = LonghaulEndpoint.class)
    LonghaulEndpoint longhaulEndpoint(Longhaul longhaul) {
        return new LonghaulEndpoint(longhaul);
    }
}
