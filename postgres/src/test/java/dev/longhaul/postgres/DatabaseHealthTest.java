package dev.longhaul.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.stats.DatabaseHealth;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Reports which sessions prevent dead rows from being removed. */
class DatabaseHealthTest {
    @Nested
    class OnOurs extends Holders {
        OnOurs() {
            super(TestPostgres.get());
        }
    }

    @Nested
    @EnabledIf(
            value = "dev.longhaul.testing.TestPostgres#has15",
            disabledReason = "PostgreSQL 15 is not installed here")
    class On15 extends Holders {
        On15() {
            super(TestPostgres.get15());
        }
    }

    abstract static class Holders {
        private final String url;
        private final HikariDataSource pool;
        private final PostgresStore store;

        Holders(TestPostgres server) {
            url = server.newDatabase();
            pool = TestPostgres.pool(url, 10);
            store = PostgresStore.open(pool);
        }

        @AfterEach
        void close() {
            store.close();
            pool.close();
        }

        private DatabaseHealth health() {
            return store.stats().database().orElseThrow();
        }

        /** Uses the simple protocol: the extended one keeps the last statement, and its snapshot, until the next one. */
        private Connection session(String name) throws SQLException {
            Connection connection =
                    DriverManager.getConnection(url + "&preferQueryMode=simple&ApplicationName=" + name);
            connection.setAutoCommit(false);
            return connection;
        }

        private static void execute(Connection connection, String sql) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        @Test
        void none_when_no_session_holds_an_old_snapshot() throws SQLException {
            try (Connection reader = session("idle")) {
                execute(reader, "select 1");
                assertThat(health().snapshotHolder()).isNotEqualTo("idle");
            }
        }

        @Test
        void a_session_that_keeps_its_snapshot() throws SQLException {
            try (Connection reader = session("long-report")) {
                reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                execute(reader, "select 1");
                assertThat(health().snapshotHolder()).isEqualTo("long-report");
            }
        }

        @Test
        void a_session_that_has_written_and_then_forgot_its_transaction() throws SQLException {
            try (Connection writer = session("forgetful")) {
                execute(writer, "select pg_current_xact_id()");
                assertThat(health().snapshotHolder()).isEqualTo("forgetful");
            }
        }

        @Test
        void a_prepared_transaction_that_is_not_ended() throws SQLException {
            try (Connection writer = session("preparing")) {
                assumeTrue(prepares(writer), "max_prepared_transactions is 0 on this PostgreSQL");
                String name = "forgotten in " + url.replaceAll(".*/|\\?.*", "");
                execute(writer, "select pg_current_xact_id()");
                execute(writer, "prepare transaction '" + name + "'");
                writer.setAutoCommit(true);
                try {
                    assertThat(health().snapshotHolder()).isEqualTo(name);
                } finally {
                    execute(writer, "rollback prepared '" + name + "'");
                }
                assertThat(health().snapshotHolder()).isNotEqualTo(name);
            }
        }

        private static boolean prepares(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet setting = statement.executeQuery("show max_prepared_transactions")) {
                return setting.next() && setting.getInt(1) > 0;
            }
        }
    }
}
