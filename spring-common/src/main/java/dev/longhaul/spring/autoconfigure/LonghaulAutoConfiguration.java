package dev.longhaul.spring.autoconfigure;

import dev.longhaul.Longhaul;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.postgres.job.CallerTransaction;
import dev.longhaul.spi.Store;
import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.LonghaulConfigurationException;
import dev.longhaul.spring.LonghaulCustomizer;
import dev.longhaul.spring.LonghaulDataSource;
import dev.longhaul.spring.job.DeclaredJobs;
import dev.longhaul.spring.job.JobClients;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Configures a {@link Longhaul} on the application's PostgreSQL, or on a bean of type {@link Store}. The classes that this must
 * come after are given by name, because they are in other packages in each version of Spring Boot.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
            "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration",
            "org.springframework.boot.autoconfigure.liquibase.LiquibaseAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration"
        })
@ConditionalOnProperty(prefix = "longhaul", name = "enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(LonghaulProperties.class)
@ImportRuntimeHints(LonghaulHints.class)
public class LonghaulAutoConfiguration {
    private static final String SHUTDOWN_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";
    private static final String VIRTUAL_THREADS = "spring.threads.virtual.enabled";
    private static final Duration USUAL_SHUTDOWN_TIMEOUT = Duration.ofSeconds(30);
    /**
     * What is left of the shutdown phase after the drain: ending the claims, interrupting jobs, giving them back, and
     * running hooks of ended ones.
     */
    private static final Duration GIVING_BACK = Duration.ofSeconds(7);

    @Bean
    @ConditionalOnMissingBean
    JobDatabase longhaulDatabase(
            ListableBeanFactory beans,
            @LonghaulDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> all) {
        return new JobDatabase(beans, marked, all);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(prefix = "longhaul", name = "join-transactions", havingValue = "true", matchIfMissing = true)
    CallerTransaction longhaulCallerTransaction(JobDatabase database) {
        DataSource dataSource = database.find();
        return dataSource == null ? CallerTransaction.NONE : new SpringTransaction(dataSource);
    }

    /** Notices the end of transactions, so that jobs that are enqueued after it do not belong to them. */
    @Bean
    SmartInitializingSingleton longhaulTransactionEnds(
            ListableBeanFactory beans, ObjectProvider<CallerTransaction> caller) {
        return () -> {
            if (caller.getIfAvailable() instanceof SpringTransaction transaction) {
                BeanFactoryUtils.beansOfTypeIncludingAncestors(
                                beans, ConfigurableTransactionManager.class, false, false)
                        .values()
                        .forEach(manager -> manager.addListener(transaction.listener()));
            }
        };
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    Longhaul longhaul(
            LonghaulProperties properties,
            Environment environment,
            ObjectProvider<Store> store,
            JobDatabase database,
            ObjectProvider<CallerTransaction> caller,
            ObjectProvider<LonghaulCustomizer> customizers) {
        LonghaulBuilder builder = Longhaul.builder();
        Store given = store.getIfAvailable();
        if (given == null) {
            builder.postgres(database.require(), properties.migrate());
        } else {
            builder.store(given);
        }
        Duration phase =
                Binder.get(environment).bind(SHUTDOWN_TIMEOUT, Duration.class).orElse(USUAL_SHUTDOWN_TIMEOUT);
        try {
            apply(properties, builder);
            builder.drain(drain(properties.drain(), phase));
        } catch (LonghaulException e) {
            throw new LonghaulConfigurationException(
                    "longhaul." + e.getMessage(), "Set the property to a value that is expected.", e);
        }
        caller.ifAvailable(builder::joinTransactions);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return open(builder);
    }

    private static Longhaul open(LonghaulBuilder builder) {
        try {
            return builder.open();
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            throw new LonghaulConfigurationException(
                    "Longhaul cannot use its database: " + e.getMessage(),
                    "Start the database, or correct the DataSource: spring.datasource.url, .username and .password.",
                    e);
        }
    }

    private static void apply(LonghaulProperties properties, LonghaulBuilder builder) {
        builder.lease(properties.lease())
                .cancelGrace(properties.cancelGrace())
                .retention(properties.retention())
                .logFailures(properties.logFailures());
        Integer slots = properties.slots();
        String workerId = properties.workerId();
        String user = properties.processUser();
        if (slots != null) {
            builder.slots(slots);
        }
        if (workerId != null) {
            builder.workerId(workerId);
        }
        if (user != null) {
            builder.processUser(user);
        }
        if (!properties.queues().isEmpty()) {
            builder.queues(ServedQueues.parse(properties.queues()));
        }
        if (!properties.worker().enabled()) {
            builder.maintenanceOnly();
        }
        if (!properties.scheduler().enabled()) {
            builder.noMaintenance();
        }
    }

    /** The drain time, so that jobs that do not end in it are given back before the shutdown phase is over. */
    private static Duration drain(Duration requested, Duration phase) {
        Duration most = phase.compareTo(GIVING_BACK) < 0 ? Duration.ZERO : phase.minus(GIVING_BACK);
        return requested.compareTo(most) < 0 ? requested : most;
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    DeclaredJobs longhaulDeclaredJobs(ConfigurableListableBeanFactory beans, Environment environment) {
        return new DeclaredJobs(beans, environment.getProperty(VIRTUAL_THREADS, Boolean.class, false));
    }

    @Bean
    @ConditionalOnMissingBean
    JobClients longhaulJobClients(Longhaul longhaul) {
        return new JobClients(longhaul);
    }

    @Bean
    @ConditionalOnMissingBean
    LonghaulLifecycle longhaulLifecycle(Longhaul longhaul, DeclaredJobs jobs, JobClients clients) {
        return new LonghaulLifecycle(longhaul, jobs, clients);
    }

    /** One for each injection point, whose types choose the definition. */
    @Bean
    @ConditionalOnMissingBean
    @Scope(BeanDefinition.SCOPE_PROTOTYPE)
    <P extends @Nullable Object, R extends @Nullable Object> JobClient<P, R> longhaulJobClient(
            InjectionPoint point, JobClients clients) {
        return clients.at(point);
    }
}
