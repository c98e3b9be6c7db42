package dev.longhaul.spring.boot4;

import dev.longhaul.Longhaul;
import dev.longhaul.spring.actuate.LonghaulHealth;
import dev.longhaul.spring.autoconfigure.LonghaulAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds Longhaul to the application's health. */
@AutoConfiguration(after = LonghaulAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Longhaul.class)
public class LonghaulHealthAutoConfiguration {
    @Bean
    @ConditionalOnEnabledHealthIndicator("longhaul")
    @ConditionalOnMissingBean(name = "longhaulHealthIndicator")
    HealthIndicator longhaulHealthIndicator(Longhaul longhaul) {
        return new LonghaulHealthIndicator(new LonghaulHealth(longhaul));
    }
}
