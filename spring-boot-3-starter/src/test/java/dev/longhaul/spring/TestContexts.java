package dev.longhaul.spring;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.testing.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Contexts on a database of their own. */
final class TestContexts {
    private static final String HIBERNATE =
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration";

    /** Leaves out JPA, which connects to the database before Longhaul does. */
    static final String NO_JPA = "spring.autoconfigure.exclude=" + HIBERNATE;

    /** Auto-configurations of both versions of Spring Boot that create a DataSource. */
    static final String NO_DATA_SOURCE = "spring.autoconfigure.exclude="
            + "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration,"
            + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
            + HIBERNATE;

    private static final String IMPORTS =
            "META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports";

    private TestContexts() {}

    static String newDatabase() {
        return TestPostgres.get().newDatabase(PostgresStore::migrate);
    }

    /** A context with all auto-configurations, and the DataSource of a new database. */
    static ApplicationContextRunner onPostgres() {
        return new ApplicationContextRunner().withPropertyValues("spring.datasource.url=" + newDatabase());
    }

    /** The auto-configurations of Longhaul, and those of Spring Boot for a DataSource. */
    static Class<?>[] jdbcAndLonghaul() {
        var classes = new ArrayList<Class<?>>();
        try {
            for (URL url : Collections.list(TestContexts.class.getClassLoader().getResources(IMPORTS))) {
                try (InputStream in = url.openStream()) {
                    new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .filter(line -> line.startsWith("dev.longhaul")
                                    || line.endsWith(".DataSourceAutoConfiguration")
                                    || line.endsWith(".DataSourceTransactionManagerAutoConfiguration"))
                            .forEach(line -> classes.add(ClassUtils.resolveClassName(line, null)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return classes.toArray(Class<?>[]::new);
    }

    /** Waits for the job's end; fails if it has none within 20 s. */
    static Job ended(Longhaul longhaul, JobDefinition<?, ?> definition, JobId id) throws InterruptedException {
        longhaul.await(definition, id, Duration.ofSeconds(20));
        Job job = longhaul.find(id).orElseThrow();
        if (!job.state().terminal()) {
            throw new AssertionError("has not ended: " + job);
        }
        return job;
    }

    static JobDefinition<?, ?> definition(Longhaul longhaul, String key) {
        return longhaul.registry().latest(key).orElseThrow();
    }
}
