package dev.longhaul.cli.launch;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.cli.launch.process.StartupTimes;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.observe.Meters;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.DatabaseAdvice;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.server.PrometheusRegistry;
import dev.longhaul.spi.Store;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An open store with its connection pool, and with its PostgreSQL server if this process started one. */
final class OpenStore implements AutoCloseable {
    /**
     * Number of connections for the engine. Requests ({@link #API_CONNECTIONS}) and running jobs need additional
     * connections.
     */
    private static final int ENGINE_CONNECTIONS = 5;

    private static final int API_CONNECTIONS = 12;
    private static final int MOST_JOB_CONNECTIONS = 16;
    private static final int IDLE_CONNECTIONS = 4;
    /** Shorter than 5 s, the time after which a client gets an unavailable error. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(3);
    /**
     * Shorter with an intake: during an outage, a request waits for a connection to read its key, its definition and to
     * insert its job, before the job is deferred.
     */
    private static final Duration CONNECTION_TIMEOUT_OF_INTAKE = Duration.ofSeconds(1);

    /** First two characters of the SQL states for a missing privilege or function. */
    private static final String NOT_READABLE = "42";

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Logger LOG = LoggerFactory.getLogger(OpenStore.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final PrometheusMeterRegistry registry = PrometheusRegistry.create();
    private final Meters meters = new Meters(registry);
    private final String memoryLabel = "memory-" + UUID.randomUUID();
    private final Duration connectionTimeout;
    private @Nullable DataSource dataSource;
    private @Nullable Store store;

    private OpenStore(Duration connectionTimeout) {
        this.connectionTimeout = connectionTimeout;
    }

    static OpenStore open(LaunchConfig config, StartupTimes times) {
        var open = new OpenStore(config.intake() == null ? CONNECTION_TIMEOUT : CONNECTION_TIMEOUT_OF_INTAKE);
        try {
            Store store = open.with(open.start(config, times));
            store.observe(open.meters);
            open.store = store;
            times.mark("store open");
            return open;
        } catch (RuntimeException | Error e) {
            open.close();
            throw e;
        }
    }

    private Store start(LaunchConfig config, StartupTimes times) {
        int most = connections(config);
        if (config.store() instanceof StoreConfig.Embedded embedded) {
            EmbeddedPostgres postgres = with(EmbeddedPostgres.start(EmbeddedPostgresConfig.in(embedded.home())));
            times.mark("PostgreSQL started", postgres.startupTime());
            var source = new PatientDataSource(postgres.jdbcUrl());
            source.setUser(postgres.user());
            source.setPassword(postgres.password());
            DataSource pool = pool("jobs", source, most);
            dataSource = pool;
            return reach(pool, pool);
        }
        if (config.store() instanceof StoreConfig.Postgres postgres) {
            DataSource pool = pool("jobs", new PatientDataSource(postgres.url()), most);
            dataSource = pool;
            String readUrl = postgres.readUrl();
            DataSource reads = readUrl == null ? pool : pool("reads", new PatientDataSource(readUrl), API_CONNECTIONS);
            return reach(pool, reads);
        }
        return new MemoryStore();
    }

    /**
     * Opens the store. Retries while the database does not accept connections, because it may have been started at the
     * same time as this process.
     */
    private static PostgresStore reach(DataSource pool, DataSource reads) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        boolean logged = false;
        while (true) {
            try {
                return PostgresStore.open(pool, true, reads);
            } catch (LonghaulException e) {
                if (e.code() != ErrorCode.UNAVAILABLE || refused(e) || System.nanoTime() - until > 0) {
                    throw e;
                }
                if (!logged) {
                    LOG.warn("{}; retrying for {} s", e.getMessage(), PATIENCE.toSeconds());
                }
                logged = true;
            }
        }
    }

    /** Returns whether a retry is useless, because the password is wrong, or the database or a privilege is missing. */
    private static boolean refused(LonghaulException e) {
        DatabaseAdvice advice = e.getCause() instanceof SQLException failure ? DatabaseAdvice.of(failure) : null;
        return advice != null && advice.lasting();
    }

    static int connections(LaunchConfig config) {
        return ENGINE_CONNECTIONS
                + (config.plays(ProcessRole.API) ? API_CONNECTIONS : 0)
                + (config.plays(ProcessRole.WORKER) ? Math.min(config.work().slots(), MOST_JOB_CONNECTIONS) : 0);
    }

    private HikariDataSource pool(String name, DataSource source, int most) {
        var config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(source);
        config.setMaximumPoolSize(most);
        config.setMetricRegistry(meters.registry());
        config.setMinimumIdle(Math.min(IDLE_CONNECTIONS, most));
        config.setConnectionTimeout(connectionTimeout.toMillis());
        // The pool must not fail here, because opening the store reports an unavailable database with a better message.
        config.setInitializationFailTimeout(-1);
        return with(new HikariDataSource(config));
    }

    private <T extends AutoCloseable> T with(T part) {
        parts.push(part);
        return part;
    }

    Meters meters() {
        return meters;
    }

    /** Returns the metrics of this process in Prometheus' text format. */
    String scrape() {
        meters.refresh();
        return registry.scrape();
    }

    Store store() {
        if (store == null) {
            throw new IllegalStateException("the store is not open");
        }
        return store;
    }

    /** Returns a label value that identifies the database. All processes of the database compute the same value. */
    String label() {
        DataSource source = dataSource;
        if (source == null) {
            return memoryLabel;
        }
        try (Connection connection = source.getConnection()) {
            // The system identifier makes the label of a restored dump on another server different.
            try {
                return label(connection, " || ' ' || (select system_identifier from pg_control_system())");
            } catch (SQLException e) {
                if (!String.valueOf(e.getSQLState()).startsWith(NOT_READABLE)) {
                    throw e;
                }
                LOG.debug("pg_control_system() cannot be read", e);
                return label(connection, "");
            }
        } catch (SQLException e) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "the database could not be read: " + e.getMessage(), e);
        }
    }

    private static String label(Connection connection, String more) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select md5(current_database() || ' ' || extract(epoch from min(applied_at))" + more
                                + ") from longhaul.schema_version")) {
            row.next();
            return row.getString(1);
        }
    }

    /** Configures the builder to use that store, and the pool of this store as the data source of running jobs. */
    LonghaulBuilder into(LonghaulBuilder builder, Store front) {
        if (dataSource != null) {
            builder.postgres(dataSource);
        }
        return builder.store(front);
    }

    @Override
    public void close() {
        Closing.all(parts);
        parts.clear();
    }
}
