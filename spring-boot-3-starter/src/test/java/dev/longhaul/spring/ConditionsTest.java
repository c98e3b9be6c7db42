package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.observe.Meters;
import dev.longhaul.spi.Store;
import dev.longhaul.testing.TestPostgres;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryMetadata;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import reactor.core.publisher.Mono;

@Tag("full")
class ConditionsTest {
    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        JobDefinition<String, String> greet() {
            return JobDefinition.of("greet", String.class, String.class).handler((name, context) -> "Hello, " + name);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {
        @Bean
        HikariDataSource first() {
            return TestPostgres.pool(TestContexts.newDatabase(), 8);
        }

        @Bean
        HikariDataSource second() {
            return TestPostgres.pool(TestContexts.newDatabase(), 8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryDatabase {
        @Bean
        @Primary
        HikariDataSource primary() {
            return TestPostgres.pool(TestContexts.newDatabase(), 8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedDatabase {
        @Bean
        @LonghaulDataSource
        HikariDataSource jobs() {
            return TestPostgres.pool(TestContexts.newDatabase(), 8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxiedDatabase {
        @Bean
        HikariDataSource pool() {
            return TestPostgres.pool(TestContexts.newDatabase(), 8);
        }

        @Bean
        @Primary
        DataSource proxy(HikariDataSource pool) {
            return new TransactionAwareDataSourceProxy(pool);
        }
    }

    /** The application's access to a database by R2DBC, which Longhaul does not use. */
    private static final class Unused implements ConnectionFactory {
        @Override
        public Mono<io.r2dbc.spi.Connection> create() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ConnectionFactoryMetadata getMetadata() {
            return () -> "PostgreSQL";
        }
    }

    private static void runs(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        Longhaul longhaul = context.getBean(Longhaul.class);
        try {
            JobDefinition<?, ?> greet = TestContexts.definition(longhaul, "greet");
            assertThat(TestContexts.ended(longhaul, greet, longhaul.later("greet", "Ann"))
                            .status())
                    .isEqualTo(JobStatus.SUCCEEDED);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What Spring Boot prints when the context fails to start. */
    private static FailureAnalysis analysis(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, (type, name, failure) -> {})
                .stream()
                .filter(one -> one.getClass().getName().startsWith("dev.longhaul"))
                .map(one -> one.analyze(Objects.requireNonNull(context.getStartupFailure())))
                .findFirst()
                .orElseThrow();
    }

    @Nested
    class Databases {
        private final ApplicationContextRunner own = new ApplicationContextRunner().withUserConfiguration(App.class);

        @Test
        void one_is_used() {
            TestContexts.onPostgres().withUserConfiguration(App.class).run(ConditionsTest::runs);
        }

        @Test
        void none_fails_with_what_to_do() {
            own.withPropertyValues(TestContexts.NO_DATA_SOURCE).run(context -> {
                FailureAnalysis analysis = analysis(context);
                assertThat(analysis.getDescription()).contains("no DataSource");
                assertThat(analysis.getAction()).contains("spring.datasource.url", "longhaul.enabled=false");
            });
        }

        /** Spring Boot creates no DataSource from properties then. */
        @Test
        void only_r2dbc_fails_with_what_to_do() {
            own.withBean(ConnectionFactory.class, Unused::new)
                    .withPropertyValues("spring.datasource.url=" + TestContexts.newDatabase())
                    .run(context -> {
                        FailureAnalysis analysis = analysis(context);
                        assertThat(analysis.getDescription()).contains("R2DBC", "no DataSource");
                        assertThat(analysis.getAction()).contains("bean of type DataSource");
                    });
        }

        @Test
        void a_data_source_beside_r2dbc_is_used() {
            own.withUserConfiguration(MarkedDatabase.class)
                    .withBean(ConnectionFactory.class, Unused::new)
                    .run(ConditionsTest::runs);
        }

        @Test
        void several_without_a_primary_one_fail_with_their_names() {
            own.withUserConfiguration(TwoDatabases.class).run(context -> {
                FailureAnalysis analysis = analysis(context);
                assertThat(analysis.getDescription()).contains("none is primary", "first", "second");
                assertThat(analysis.getAction()).contains("@LonghaulDataSource", "@Primary");
            });
        }

        @Test
        void the_primary_one_of_several_is_used() {
            own.withUserConfiguration(TwoDatabases.class, PrimaryDatabase.class).run(context -> {
                runs(context);
                assertStoredIn(context, "primary");
            });
        }

        @Test
        void the_marked_one_of_several_is_used_even_if_another_is_primary() {
            own.withUserConfiguration(TwoDatabases.class, PrimaryDatabase.class, MarkedDatabase.class)
                    .run(context -> {
                        runs(context);
                        assertStoredIn(context, "jobs");
                    });
        }

        @Test
        void longhaul_uses_the_pool_behind_a_transaction_aware_proxy() {
            own.withUserConfiguration(ProxiedDatabase.class).run(context -> {
                runs(context);
                assertStoredIn(context, "pool");
            });
        }

        @Test
        void another_database_than_postgresql_is_refused_by_name() {
            own.withPropertyValues("spring.datasource.url=jdbc:h2:mem:other")
                    .run(context ->
                            assertThat(analysis(context).getDescription()).contains("H2"));
        }

        @Test
        void a_database_that_does_not_exist_is_reported_with_what_to_do() {
            String missing = TestContexts.newDatabase().replaceFirst("(//[^/]+/)[^?]+", "$1no_such_database");
            own.withPropertyValues("spring.datasource.url=" + missing, TestContexts.NO_JPA)
                    .run(context -> {
                        FailureAnalysis analysis = analysis(context);
                        assertThat(analysis.getDescription()).contains("no such database", "no_such_database");
                        assertThat(analysis.getAction()).contains("spring.datasource.url");
                    });
        }

        @Test
        void a_database_that_cannot_be_reached_is_reported_with_what_to_do() {
            own.withPropertyValues(
                            "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/shop",
                            "spring.datasource.hikari.connection-timeout=1000",
                            TestContexts.NO_JPA)
                    .run(context -> assertThat(analysis(context).getDescription())
                            .contains("database refused the connection", "127.0.0.1:1"));
        }

        private static void assertStoredIn(AssertableApplicationContext context, String bean) throws Exception {
            try (var connection = context.getBean(bean, DataSource.class).getConnection();
                    var count = connection.createStatement();
                    var row = count.executeQuery("select count(*) from longhaul.finished_job")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(1);
            }
        }
    }

    @Nested
    class BackingOff {
        @Test
        void disabled_it_creates_nothing() {
            TestContexts.onPostgres()
                    .withUserConfiguration(App.class)
                    .withPropertyValues("longhaul.enabled=false")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(context).doesNotHaveBean(Longhaul.class);
                        assertThat(Stream.of(context.getBeanDefinitionNames())
                                        .filter(name -> name.startsWith("longhaul")))
                                .isEmpty();
                    });
        }

        @Test
        void a_store_of_the_application_needs_no_database() {
            new ApplicationContextRunner()
                    .withUserConfiguration(App.class)
                    .withPropertyValues(TestContexts.NO_DATA_SOURCE)
                    .withBean(Store.class, MemoryStore::new)
                    .run(ConditionsTest::runs);
        }

        @Test
        void a_longhaul_of_the_application_is_used() {
            var store = new MemoryStore();
            new ApplicationContextRunner()
                    .withUserConfiguration(App.class)
                    .withPropertyValues(TestContexts.NO_DATA_SOURCE)
                    .withBean(
                            "own",
                            Longhaul.class,
                            () -> Longhaul.builder().store(store).open())
                    .run(context -> {
                        runs(context);
                        assertThat(context.getBean(Longhaul.class).store()).isSameAs(store);
                    });
        }
    }

    @Nested
    class OptionalLibraries {
        @Test
        void with_all_of_them_everything_is_configured() {
            TestContexts.onPostgres()
                    .withUserConfiguration(App.class)
                    .withPropertyValues("management.endpoints.web.exposure.include=*")
                    .run(context -> {
                        runs(context);
                        assertThat(context).hasBean("longhaulHealthIndicator");
                        assertThat(context).hasBean("longhaulObservationTracing");
                    });
        }

        /** Auto-configurations of Spring Boot are given by name, because its own for these libraries do not load without them. */
        @Test
        void none_of_them_is_required() {
            TestContexts.onPostgres()
                    .withConfiguration(AutoConfigurations.of(TestContexts.jdbcAndLonghaul()))
                    .withBean("greet", JobDefinition.class, new App()::greet)
                    .withClassLoader(new FilteredClassLoader(
                            "org.springframework.boot.actuate",
                            "org.springframework.boot.health",
                            "org.springframework.boot.micrometer",
                            "io.micrometer",
                            "io.opentelemetry",
                            "org.springframework.security",
                            "org.junit",
                            "dev.longhaul.testkit"))
                    .run(context -> {
                        runs(context);
                        assertThat(context).doesNotHaveBean("longhaulHealthIndicator");
                        assertThat(context).doesNotHaveBean("longhaulEndpoint");
                        assertThat(context).doesNotHaveBean("longhaulMeters");
                        assertThat(context).doesNotHaveBean("longhaulObservationTracing");
                    });
        }

        private static ApplicationContextRunner without(String... packages) {
            return TestContexts.onPostgres()
                    .withConfiguration(AutoConfigurations.of(TestContexts.jdbcAndLonghaul()))
                    .withPropertyValues("management.endpoints.web.exposure.include=*")
                    .withBean("greet", JobDefinition.class, new App()::greet)
                    .withClassLoader(new FilteredClassLoader(packages));
        }

        @Test
        void without_actuator_there_are_metrics_and_no_endpoint() {
            without("org.springframework.boot.actuate", "org.springframework.boot.health")
                    .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                    .run(context -> {
                        runs(context);
                        assertThat(context).doesNotHaveBean("longhaulEndpoint");
                        assertThat(context).doesNotHaveBean("longhaulHealthIndicator");
                        assertThat(context).hasBean("longhaulMeters");
                    });
        }

        @Test
        void without_micrometer_there_is_the_endpoint_and_no_metrics() {
            without("io.micrometer", "org.springframework.boot.micrometer").run(context -> {
                runs(context);
                assertThat(context).hasBean("longhaulEndpoint");
                assertThat(context).doesNotHaveBean("longhaulMeters");
                assertThat(context).doesNotHaveBean("longhaulObservationTracing");
            });
        }

        /** A gauge that is not read would show zero, which is wrong. */
        @Test
        void without_a_refresh_there_are_no_gauges_of_the_cluster() {
            TestContexts.onPostgres()
                    .withUserConfiguration(App.class)
                    .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                    .withPropertyValues("longhaul.metrics.refresh=0s")
                    .run(context -> {
                        runs(context);
                        var registry = context.getBean(MeterRegistry.class);
                        assertThat(registry.find("longhaul.jobs.enqueued").counter())
                                .isNotNull();
                        assertThat(registry.find("longhaul.slots").gauge()).isNull();
                    });
        }

        @Test
        void without_spring_security_jobs_run() {
            without("org.springframework.security").run(ConditionsTest::runs);
        }

        @Test
        void without_the_module_observe_there_are_no_metrics() {
            TestContexts.onPostgres()
                    .withUserConfiguration(App.class)
                    .withClassLoader(new FilteredClassLoader(Meters.class))
                    .run(context -> {
                        runs(context);
                        assertThat(context).doesNotHaveBean("longhaulMeters");
                    });
        }
    }

    @Nested
    class Settings {
        @Test
        void a_process_without_a_worker_only_enqueues() {
            TestContexts.onPostgres()
                    .withUserConfiguration(App.class)
                    .withPropertyValues("longhaul.worker.enabled=false", "longhaul.scheduler.enabled=false")
                    .run(context -> {
                        Longhaul longhaul = context.getBean(Longhaul.class);
                        var id = longhaul.later("greet", "Ann");
                        assertThat(longhaul.find(id).orElseThrow().status()).isEqualTo(JobStatus.QUEUED);
                        assertThat(longhaul.store().catalog().workers()).isEmpty();
                    });
        }

        @Test
        void a_wrong_value_is_refused_with_its_name() {
            TestContexts.onPostgres()
                    .withUserConfiguration(App.class)
                    .withPropertyValues("longhaul.slots=0")
                    .run(context -> {
                        assertThat(context).hasFailed();
                        assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("slots: 0");
                    });
        }

        @Test
        void customizers_come_after_the_properties() {
            TestContexts.onPostgres()
                    .withUserConfiguration(App.class)
                    .withPropertyValues(
                            "longhaul.slots=3", "longhaul.queues=default,reports:2", "longhaul.worker-id=given")
                    .withBean(LonghaulCustomizer.class, () -> builder -> builder.slots(5))
                    .run(context -> {
                        runs(context);
                        var worker = context.getBean(Longhaul.class)
                                .store()
                                .catalog()
                                .workers()
                                .get(0)
                                .report();
                        assertThat(worker.workerId()).isEqualTo("given");
                        assertThat(worker.slots()).isEqualTo(5);
                        assertThat(worker.queues()).containsExactlyInAnyOrder("default", "reports");
                    });
        }

        @Test
        void a_database_without_the_schema_is_refused_when_migration_is_off() {
            new ApplicationContextRunner()
                    .withUserConfiguration(App.class)
                    .withPropertyValues(
                            "spring.datasource.url=" + TestPostgres.get().newDatabase(), "longhaul.migrate=false")
                    .run(context -> assertThat(context.getStartupFailure())
                            .rootCause()
                            .hasMessageContaining("database schema: version 0"));
        }

        @Test
        @Tag("jdk")
        void handlers_use_virtual_threads_where_the_jvm_has_them() {
            var ran = new CompletableFuture<Thread>();
            JobDefinition<Void, Void> where = JobDefinition.of("where", Void.class, Void.class)
                    .handler((params, context) -> {
                        ran.complete(Thread.currentThread());
                        return null;
                    });
            TestContexts.onPostgres()
                    .withUserConfiguration(App.class)
                    .withBean("where", JobDefinition.class, () -> where)
                    .withPropertyValues("spring.threads.virtual.enabled=true")
                    .run(context -> {
                        context.getBean(Longhaul.class).later("where", null);
                        Thread thread = ran.get(20, TimeUnit.SECONDS);
                        boolean possible = Runtime.version().feature() >= 21;
                        assertThat(thread.getClass().getName().contains("Virtual"))
                                .isEqualTo(possible);
                    });
        }

        @Test
        void the_schema_is_opened_after_the_applications_own_scripts() {
            TestContexts.onPostgres()
                    .withUserConfiguration(App.class)
                    .withPropertyValues("spring.sql.init.mode=always")
                    .run(context -> assertThat(context.getSourceApplicationContext()
                                    .getBeanFactory()
                                    .getBeanDefinition("longhaul")
                                    .getDependsOn())
                            .contains("dataSourceScriptDatabaseInitializer"));
        }
    }
}
