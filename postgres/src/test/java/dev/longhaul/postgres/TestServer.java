package dev.longhaul.postgres;

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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL for tests: the embedded one, the one that {@code TEST_DATABASE_URL} names, or an installed PostgreSQL 15. One
 * per JVM and kind, started at its first use.
 */
public final class TestServer {
    private static final Path INSTALLED_15 = Path.of("/usr/lib/postgresql/15/bin");
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static @Nullable TestServer ours;
    private static @Nullable TestServer fifteen;

    private final String adminUrl;

    private TestServer(String adminUrl) {
        this.adminUrl = adminUrl;
    }

    public static synchronized TestServer get() {
        if (ours == null) {
            String given = System.getenv("TEST_DATABASE_URL");
            ours = new TestServer(given != null && !given.isBlank() ? given : start(null));
        }
        return ours;
    }

    static boolean has15() {
        return Files.isExecutable(INSTALLED_15.resolve("initdb"));
    }

    static synchronized TestServer get15() {
        if (fifteen == null) {
            fifteen = new TestServer(start(INSTALLED_15));
        }
        return fifteen;
    }

    /** The URL of a new, empty database. */
    public String newDatabase() {
        String name = "test_" + ProcessHandle.current().pid() + "_" + DATABASES.incrementAndGet();
        try (Connection connection = DriverManager.getConnection(adminUrl);
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("no database for tests on " + adminUrl, e);
        }
        int query = adminUrl.indexOf('?');
        String base = query < 0 ? adminUrl : adminUrl.substring(0, query);
        return base.substring(0, base.lastIndexOf('/') + 1) + name + (query < 0 ? "" : adminUrl.substring(query));
    }

    public static HikariDataSource pool(String url, int size) {
        var config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(10_000);
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

    private static String start(@Nullable Path installation) {
        try {
            Path home = Files.createTempDirectory("longhaul-test-");
            var config = EmbeddedPostgresConfig.in(home)
                    .withSetting("max_connections", "200")
                    .withSetting("max_prepared_transactions", "4")
                    .withSetting("autovacuum_naptime", "1h")
                    // Tests kill processes, never the machine: what is written is there.
                    .withSetting("fsync", "off");
            EmbeddedPostgres server =
                    EmbeddedPostgres.start(installation == null ? config : config.withInstallation(installation));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                // Nobody needs this data again: no checkpoint, which takes long on a busy machine.
                server.crashServer();
                server.close();
                delete(home);
            }));
            return server.jdbcUrl() + "?user=" + server.user() + "&password=" + server.password();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
