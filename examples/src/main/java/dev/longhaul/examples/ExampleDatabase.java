package dev.longhaul.examples;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool on an embedded PostgreSQL, or on the one that {@code -Ddatabase.url=jdbc:postgresql:…} names. */
final class ExampleDatabase implements AutoCloseable {
    static final String URL = "database.url";
    static final Path HOME = Path.of("target", "postgres");

    private final @Nullable EmbeddedPostgres server;
    private final HikariDataSource pool;

    private ExampleDatabase(@Nullable EmbeddedPostgres server, HikariDataSource pool) {
        this.server = server;
        this.pool = pool;
    }

    static ExampleDatabase open() {
        return open(HOME);
    }

    /** An embedded PostgreSQL has its data in {@code directory}. */
    static ExampleDatabase open(Path directory) {
        String url = System.getProperty(URL);
        if (url != null) {
            var config = new HikariConfig();
            config.setJdbcUrl(url);
            return new ExampleDatabase(null, new HikariDataSource(config));
        }
        // region embedded
        // Keeps its data in the directory. The server stops when this program exits or is killed.
        EmbeddedPostgres postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory));
        var config = new HikariConfig();
        config.setJdbcUrl(postgres.jdbcUrl());
        config.setUsername(postgres.user());
        config.setPassword(postgres.password());
        var dataSource = new HikariDataSource(config);
        // endregion
        return new ExampleDatabase(postgres, dataSource);
    }

    DataSource dataSource() {
        return pool;
    }

    /** The URL with which another program connects to this database. */
    String url() {
        String url = System.getProperty(URL);
        return server == null
                ? String.valueOf(url)
                : server.jdbcUrl() + "?user=" + server.user() + "&password=" + server.password();
    }

    @Override
    public void close() {
        pool.close();
        if (server != null) {
            server.close();
        }
    }
}
