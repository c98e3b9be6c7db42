package dev.longhaul.embedded;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** One-line SQL for tests. */
final class Sql {
    private Sql() {}

    static Connection connect(EmbeddedPostgres postgres) throws SQLException {
        return DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
    }

    static void execute(EmbeddedPostgres postgres, String sql) throws SQLException {
        try (var connection = connect(postgres);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String query(EmbeddedPostgres postgres, String sql) throws SQLException {
        try (var connection = connect(postgres)) {
            return query(connection, sql);
        }
    }

    static String query(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }
}
