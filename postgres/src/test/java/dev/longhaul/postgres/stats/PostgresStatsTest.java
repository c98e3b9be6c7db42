package dev.longhaul.postgres.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.Transition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PostgresStatsTest {
    private final HikariDataSource pool = TestPostgres.pool(TestPostgres.get().newDatabase(), 5);
    private volatile boolean failing;
    private final PostgresStore store = PostgresStore.open(failing(pool));

    private DataSource failing(DataSource behind) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    if (failing) {
                        throw new NoClassDefFoundError("planted");
                    }
                    try {
                        return method.invoke(behind, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    @AfterEach
    void close() {
        store.close();
        pool.close();
    }

    @Test
    void counts_whose_write_failed_with_an_error_are_written_with_the_next_pass() throws SQLException {
        store.jobs()
                .insert(List.of(
                        JobSpec.of(DefinitionRef.parse("report@1"), "{}").build()));
        var claim = store.work()
                .claim(ClaimRequest.of("worker", List.of("default"), null, 1, Duration.ofMinutes(1)))
                .get(0)
                .claim();
        store.work().apply(List.of(Transition.succeed(claim, "{}")));
        failing = true;
        assertThatThrownBy(() -> store.stats().flush()).isInstanceOf(NoClassDefFoundError.class);
        failing = false;
        store.stats().flush();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select sum(succeeded) from longhaul.run_stats")) {
            assertThat(row.next()).isTrue();
            // Once at each of the two resolutions.
            assertThat(row.getLong(1)).isEqualTo(2);
        }
    }
}
