package dev.longhaul;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.postgres.PatientDataSource;
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

/** Databases for tests, on one embedded PostgreSQL per JVM, started at its first use. */
public final class TestDatabase {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static @Nullable EmbeddedPostgres server;

    private TestDatabase() {}

    public static synchronized EmbeddedPostgres server() {
        if (server == null) {
            server = newServer();
        }
        return server;
    }

    /** A server of its own, for tests that stop it; removed when the JVM ends. */
    public static EmbeddedPostgres newServer() {
        try {
            Path home = Files.createTempDirectory("longhaul-test-");
            var started = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home)
                    .withSetting("max_connections", "200")
                    .withSetting("autovacuum_naptime", "1h"));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                // Nobody needs this data again: no checkpoint, which takes long on a busy machine.
                started.crashServer();
                started.close();
                delete(home);
            }));
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The URL of a new, empty database. */
    public static String newUrl() {
        return newUrl(server());
    }

    public static String newUrl(EmbeddedPostgres on) {
        String name = "test_" + NUMBERS.incrementAndGet();
        String url = on.jdbcUrl() + (on.jdbcUrl().contains("?") ? "&" : "?") + "user=" + on.user() + "&password="
                + on.password();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("no database for tests on " + on.jdbcUrl(), e);
        }
        int query = url.indexOf('?');
        String base = url.substring(0, query);
        return base.substring(0, base.lastIndexOf('/') + 1) + name + url.substring(query);
    }

    public static HikariDataSource pool(String url, int size) {
        var config = new HikariConfig();
        config.setDataSource(new PatientDataSource(url));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(3_000);
        return new HikariDataSource(config);
    }

    private static void delete(Path home) {
        try (Stream<Path> files = Files.walk(home)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
