package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.testing.TestPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DatabaseTest {
    private final HikariDataSource pool = TestPostgres.pool(TestPostgres.get().newDatabase(), 1);

    @BeforeEach
    void create() {
        new Database(pool).single((connection, again) -> execute(connection, "create table written (number int)"));
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    @Tag("full")
    void a_pool_without_a_free_connection_is_named_with_the_size_it_needs() throws SQLException {
        pool.setConnectionTimeout(250);
        try (Connection held = pool.getConnection()) {
            assertThat(held.isClosed()).isFalse();
            assertThatThrownBy(() -> new Database(pool).single((connection, again) -> execute(connection, "select 1")))
                    .hasMessageStartingWith("no free connection in the pool (expected: 5 for Longhaul");
        }
    }

    @Nested
    class ATimeout {
        @Test
        void of_a_statement_is_reported_with_advice() {
            assertThatThrownBy(() -> new Database(pool).transaction((connection, again) -> {
                        execute(connection, "set local statement_timeout = 20");
                        return execute(connection, "select pg_sleep(60)");
                    }))
                    .isInstanceOfSatisfying(
                            LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageMatching("database statement timed out: .* \\(safe to retry; .*statement_timeout.*\\)");
        }

        @Test
        void of_a_lock_is_reported_with_advice() throws SQLException {
            try (HikariDataSource other = TestPostgres.pool(pool.getJdbcUrl(), 1);
                    Connection holder = other.getConnection()) {
                holder.setAutoCommit(false);
                execute(holder, "lock table written");
                assertThatThrownBy(() -> new Database(pool).transaction((connection, again) -> {
                            execute(connection, "set local lock_timeout = 20");
                            return execute(connection, "insert into written values (1)");
                        }))
                        .hasMessageMatching(
                                "timeout while waiting for a database lock: .* \\(safe to retry; .*pg_stat_activity\\)");
                holder.rollback();
            }
        }

        @Test
        @Tag("full")
        void of_a_connection_attempt_is_reported_with_advice() throws Exception {
            // Accepts connections, and never responds.
            try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                var source = new PatientDataSource(
                        "postgres://ann@127.0.0.1:" + silent.getLocalPort() + "/jobs?loginTimeout=1");
                assertThatThrownBy(() -> new Database(source).single((connection, again) -> true))
                        .hasMessageMatching("database host does not respond: .* \\(check the network .*\\)");
            }
        }
    }

    @Nested
    class ATransaction {
        @Test
        void that_ends_with_an_error_is_rolled_back() {
            assertThatThrownBy(() -> new Database(pool).transaction((connection, again) -> {
                        execute(connection, "insert into written values (1)");
                        throw new OutOfMemoryError("planted");
                    }))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(written()).isZero();
        }

        @Test
        void that_ends_with_an_exception_is_rolled_back() {
            assertThatThrownBy(() -> new Database(pool).once(connection -> {
                        execute(connection, "insert into written values (1)");
                        throw new IllegalStateException("planted");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(written()).isZero();
        }

        @Test
        void whose_rollback_fails_is_never_committed() {
            assertThatThrownBy(() -> new Database(noRollback(pool)).transaction((connection, again) -> {
                        execute(connection, "insert into written values (1)");
                        throw new StackOverflowError("planted");
                    }))
                    .isInstanceOf(StackOverflowError.class);
            assertThat(written()).isZero();
        }

        @Test
        void that_returns_is_committed_and_leaves_the_connection_as_it_was() throws SQLException {
            new Database(pool)
                    .transaction((connection, again) -> execute(connection, "insert into written values (1)"));
            assertThat(written()).isEqualTo(1);
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isTrue();
            }
        }
    }

    /** Connections whose rollback fails with an OutOfMemoryError. */
    private static DataSource noRollback(DataSource behind) {
        return (DataSource) Proxy.newProxyInstance(
                DatabaseTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (source, opening, none) -> {
                    Connection connection = behind.getConnection();
                    return Proxy.newProxyInstance(
                            DatabaseTest.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("rollback")) {
                                    throw new OutOfMemoryError("planted");
                                }
                                try {
                                    return method.invoke(connection, arguments);
                                } catch (InvocationTargetException e) {
                                    throw e.getTargetException();
                                }
                            });
                });
    }

    private long written() {
        return new Database(pool).single((connection, again) -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("select count(*) from written")) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    private static boolean execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql);
        }
    }
}
