package dev.longhaul.cli;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.nio.file.Path;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;

/** Databases to export from and to import into, on a PostgreSQL of their own. */
final class ExportDatabases implements AutoCloseable {
    private final EmbeddedPostgres server;

    ExportDatabases(Path home) {
        server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home));
    }

    PGSimpleDataSource create(String name) throws SQLException {
        try (var connection = get("postgres").getConnection();
                var statement = connection.createStatement()) {
            statement.execute("create database " + name);
        }
        return get(name);
    }

    PGSimpleDataSource get(String name) {
        var dataSource = new PGSimpleDataSource();
        dataSource.setUrl("jdbc:postgresql://127.0.0.1:" + server.port() + "/" + name);
        dataSource.setUser(server.user());
        dataSource.setPassword(server.password());
        return dataSource;
    }

    String url(String name) {
        return "postgres://" + server.user() + ":" + server.password() + "@127.0.0.1:" + server.port() + "/" + name;
    }

    @Override
    public void close() {
        server.close();
    }
}
