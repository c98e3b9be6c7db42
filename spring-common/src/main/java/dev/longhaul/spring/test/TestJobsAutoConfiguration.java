package dev.longhaul.spring.test;

import dev.longhaul.Longhaul;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.spi.Store;
import dev.longhaul.spring.LonghaulCustomizer;
import dev.longhaul.spring.autoconfigure.LonghaulAutoConfiguration;
import dev.longhaul.testkit.TestJobs;
import dev.longhaul.testkit.TestStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The beans of {@link AutoConfigureTestJobs}: the Longhaul runs no jobs by itself. */
@AutoConfiguration(before = LonghaulAutoConfiguration.class)
@ConditionalOnProperty(TestJobsCustomizer.DATABASE)
@ConditionalOnClass(TestJobs.class)
public class TestJobsAutoConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = TestJobsCustomizer.DATABASE, havingValue = "memory")
    static class InMemory {
        @Bean
        @ConditionalOnMissingBean
        MovableClock longhaulClock() {
            return new MovableClock();
        }

        @Bean
        @ConditionalOnMissingBean(Store.class)
        TestStore longhaulStore(MovableClock clock) {
            return new TestStore(clock);
        }
    }

    @Bean
    LonghaulCustomizer longhaulTestCustomizer() {
        return builder -> builder.enqueueOnly();
    }

    @Bean
    @ConditionalOnMissingBean
    TestJobs longhaulTestJobs(Longhaul longhaul, ObjectProvider<MovableClock> clock) {
        MovableClock movable = clock.getIfAvailable();
        return movable == null ? TestJobs.onPostgres(longhaul) : TestJobs.inMemory(longhaul, movable);
    }
}
