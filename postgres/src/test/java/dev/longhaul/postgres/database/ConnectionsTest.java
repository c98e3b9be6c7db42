package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.testing.TestPostgres;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class ConnectionsTest {
    @Test
    void a_pool_that_is_merely_empty_is_no_outage() throws SQLException {
        var config = new HikariConfig();
        config.setJdbcUrl(TestPostgres.get().newDatabase());
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(250);
        try (var pool = new HikariDataSource(config)) {
            var connections = new Connections(pool);
            try (Connection held = connections.open()) {
                assertThat(held.isValid(1)).isTrue();
                assertThatThrownBy(connections::open).isInstanceOf(SQLTransientConnectionException.class);
            }
            try (Connection next = connections.open()) {
                assertThat(next.isValid(1)).isTrue();
            }
        }
    }

    @Test
    void while_the_database_is_unavailable_callers_share_one_failure() throws Exception {
        var tries = new AtomicInteger();
        var unreachable = new PGSimpleDataSource() {
            private static final long serialVersionUID = 1;

            @Override
            public Connection getConnection() throws SQLException {
                tries.incrementAndGet();
                return super.getConnection();
            }
        };
        try (var closed = new ServerSocket(0)) {
            unreachable.setPortNumbers(new int[] {closed.getLocalPort()});
        }
        var connections = new Connections(unreachable);
        assertThatThrownBy(connections::open).isInstanceOf(SQLException.class);
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(connections::open)
                    .isInstanceOf(SQLTransientConnectionException.class)
                    .hasCauseInstanceOf(SQLException.class);
        }
        assertThat(tries).hasValue(1);
    }
}
