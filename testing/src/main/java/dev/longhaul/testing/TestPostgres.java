package dev.longhaul.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL for tests: the embedded one, the one in {@code TEST_DATABASE_URL}, or an installed PostgreSQL 15. All
 * test classes of a JVM share one per kind, started at first use; each creates its own databases on it.
 */
public final class TestPostgres {
    private static final Path INSTALLED_15 = Path.of("/usr/lib/postgresql/15/bin");
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static @Nullable TestPostgres shared;
    private static @Nullable TestPostgres shared15;

    private final String adminUrl;
    private @Nullable String template;

    private TestPostgres(String adminUrl) {
        this.adminUrl = adminUrl;
    }

    /** The PostgreSQL that the tests of this JVM share. */
    public static synchronized TestPostgres get() {
        if (shared == null) {
            String given = System.getenv("TEST_DATABASE_URL");
            shared = given != null && !given.isBlank() ? new TestPostgres(given) : on(start());
        }
        return shared;
    }

    /** Whether a PostgreSQL 15 is installed here. */
    public static boolean has15() {
        return Files.isExecutable(INSTALLED_15.resolve("initdb"));
    }

    /** The installed PostgreSQL 15, on a data directory that the tests of this JVM share. */
    public static synchronized TestPostgres get15() {
        if (shared15 == null) {
            shared15 = on(start(INSTALLED_15));
        }
        return shared15;
    }

    /** Databases on a server that the caller has started. */
    public static TestPostgres on(EmbeddedPostgres server) {
        return new TestPostgres(server.jdbcUrl() + (server.jdbcUrl().contains("?") ? "&" : "?") + "user="
                + server.user() + "&password=" + server.password());
    }

    /** Starts a separate server, for tests that stop it. It is removed when the JVM ends. */
    public static EmbeddedPostgres start() {
        return start(null);
    }

    private static EmbeddedPostgres start(@Nullable Path installation) {
        try {
            Path home = Files.createTempDirectory("longhaul-test-");
            var config = EmbeddedPostgresConfig.in(home)
                    .withSetting("max_connections", "200")
                    .withSetting("max_prepared_transactions", "4")
                    .withSetting("autovacuum_naptime", "1h")
                    // Durability is not needed: tests kill processes, never the machine, so the kernel keeps written
                    // data.
                    .withSetting("fsync", "off");
            EmbeddedPostgres server =
                    EmbeddedPostgres.start(installation == null ? config : config.withInstallation(installation));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                // Skips the final checkpoint, which is slow on a busy machine. The data is discarded anyway.
                server.crashServer();
                server.close();
                delete(home);
            }));
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates an empty database and returns its JDBC URL. */
    public String newDatabase() {
        return url(create(""));
    }

    /**
     * Creates a migrated database and returns its JDBC URL. The first call migrates a template, which later calls copy.
     */
    public String newDatabase(Consumer<DataSource> migration) {
        return url(create(" template " + template(migration)));
    }

    private synchronized String template(Consumer<DataSource> migration) {
        if (template == null) {
            String name = create("");
            var source = new PGSimpleDataSource();
            source.setUrl(url(name));
            migration.accept(source);
            template = name;
        }
        return template;
    }

    private String create(String options) {
        String name = "test_" + ProcessHandle.current().pid() + "_" + DATABASES.incrementAndGet();
        execute(adminUrl, "create database " + name + options);
        return name;
    }

    private String url(String name) {
        int query = adminUrl.indexOf('?');
        String base = query < 0 ? adminUrl : adminUrl.substring(0, query);
        return base.substring(0, base.lastIndexOf('/') + 1) + name + (query < 0 ? "" : adminUrl.substring(query));
    }

    /** A pool of plain connections. */
    public static HikariDataSource pool(String url, int size) {
        var config = new HikariConfig();
        config.setJdbcUrl(url);
        return pool(config, size, 10_000);
    }

    /** A pool like an application's: a caller waits 3 s for a connection. */
    public static HikariDataSource pool(DataSource source, int size) {
        var config = new HikariConfig();
        config.setDataSource(source);
        return pool(config, size, 3_000);
    }

    private static HikariDataSource pool(HikariConfig config, int size, long timeoutMillis) {
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(timeoutMillis);
        config.setInitializationFailTimeout(60_000);
        return new HikariDataSource(config);
    }

    public static void execute(String url, String... statements) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
