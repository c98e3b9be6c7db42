package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobQuery;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.stats.DatabaseLink;
import dev.longhaul.testing.TestPostgres;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lists are read from a replica, and from the primary while the replica is unavailable. */
class ReplicaTest {
    private final String url = TestPostgres.get().newDatabase();
    private final HikariDataSource pool = TestPostgres.pool(url, 10);
    private final Switched replica = new Switched(pool);

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void a_dead_replica_takes_nothing_down() {
        try (var store = PostgresStore.open(pool, true, replica)) {
            store.jobs()
                    .insert(List.of(JobSpec.of(new DefinitionRef("report", 1), "{}")
                            .hold(true)
                            .build()));
            assertThat(store.jobs().list(JobQuery.ALL).jobs()).hasSize(1);
            assertThat(link(store)).matches(seen -> seen.replicaUp() && seen.replicaFallbacks() == 0);
            replica.down = true;

            assertThat(store.jobs().list(JobQuery.ALL).jobs()).hasSize(1);
            assertThat(store.jobs().count(JobQuery.ALL).counts()).hasSize(1);
            assertThat(store.stats().failures(Duration.ofHours(1)).groups()).isEmpty();

            assertThat(link(store).replicaUp()).isFalse();
            assertThat(link(store).replicaFallbacks()).isGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void a_replica_that_is_available_again_is_read_from_again() {
        var primary = new Database(pool);
        var database = new ReplicaDatabase(replica, primary, Duration.ZERO);
        replica.down = true;
        assertThat(one(database)).isEqualTo(1);
        assertThat(database.up()).isFalse();
        replica.down = false;

        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!database.up() && System.nanoTime() < until) {
            assertThat(one(database)).isEqualTo(1);
            LockSupport.parkNanos(1_000_000);
        }

        assertThat(database.up()).isTrue();
        long before = database.fallbacks();
        assertThat(one(database)).isEqualTo(1);
        assertThat(database.fallbacks()).isEqualTo(before);
    }

    @Test
    void a_statement_that_the_primary_rejects_too_does_not_mark_the_replica_unavailable() {
        var database = new ReplicaDatabase(replica, new Database(pool), Duration.ZERO);

        assertThatThrownBy(() -> database.single(
                        (connection, again) -> connection.createStatement().execute("select * from nowhere")))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("nowhere");
        assertThat(database.up()).isTrue();
    }

    private static int one(Database database) {
        return database.single((connection, again) -> {
            try (var statement = connection.createStatement();
                    var row = statement.executeQuery("select 1")) {
                row.next();
                return row.getInt(1);
            }
        });
    }

    private static DatabaseLink link(PostgresStore store) {
        return store.stats().databaseLink().orElseThrow();
    }

    /** The same database under another name, which can be made unavailable. */
    private static final class Switched implements DataSource {
        private final DataSource there;
        private volatile boolean down;

        private Switched(DataSource there) {
            this.there = there;
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (down) {
                throw new SQLException("connection refused", "08001");
            }
            return there.getConnection();
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() throws SQLException {
            return there.getLogWriter();
        }

        @Override
        public void setLogWriter(PrintWriter out) throws SQLException {
            there.setLogWriter(out);
        }

        @Override
        public void setLoginTimeout(int seconds) throws SQLException {
            there.setLoginTimeout(seconds);
        }

        @Override
        public int getLoginTimeout() throws SQLException {
            return there.getLoginTimeout();
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            return there.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) throws SQLException {
            return there.isWrapperFor(type);
        }
    }
}
