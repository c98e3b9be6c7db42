package dev.longhaul.spring.actuate;

import dev.longhaul.Longhaul;
import dev.longhaul.observe.Meters;
import dev.longhaul.spring.LonghaulCustomizer;
import dev.longhaul.spring.autoconfigure.LonghaulAutoConfiguration;
import dev.longhaul.spring.autoconfigure.LonghaulProperties;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Metrics with Micrometer and traces with its observations, where the application has them. */
@AutoConfiguration(
        before = LonghaulAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnProperty(prefix = "longhaul", name = "enabled", havingValue = "true", matchIfMissing = true)
public class LonghaulObservabilityAutoConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({MeterRegistry.class, Meters.class})
    @ConditionalOnBean(MeterRegistry.class)
    static class Metrics {
        @Bean
        @ConditionalOnMissingBean
        Meters longhaulMeters(MeterRegistry registry) {
            return new Meters(registry);
        }

        @Bean
        LonghaulCustomizer longhaulMetersCustomizer(Meters meters) {
            return builder -> builder.observe(meters);
        }

        @Bean
        @ConditionalOnMissingBean
        ClusterGauges longhaulClusterGauges(Longhaul longhaul, Meters meters, LonghaulProperties properties) {
            return new ClusterGauges(longhaul, meters, properties.metrics().refresh());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    static class Observations {
        @Bean
        @ConditionalOnMissingBean
        ObservationTracing longhaulObservationTracing(ObservationRegistry registry) {
            return new ObservationTracing(registry);
        }

        @Bean
        LonghaulCustomizer longhaulObservationCustomizer(ObservationTracing tracing) {
            return builder -> builder.traceBy(tracing).traceparent(tracing::current);
        }
    }
}
