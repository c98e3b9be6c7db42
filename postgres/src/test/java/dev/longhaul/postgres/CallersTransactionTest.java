package dev.longhaul.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.job.TransactionalInserts;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.Signal;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs stored in a transaction of the caller. */
class CallersTransactionTest {
    private HikariDataSource pool = TestPostgres.pool(TestPostgres.get().newDatabase(), 5);
    private PostgresStore store = PostgresStore.open(pool);

    @BeforeEach
    void createTheCallersTable() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table orders (id int primary key)");
        }
    }

    @AfterEach
    void close() {
        store.close();
        pool.close();
    }

    @Test
    void exist_once_the_caller_commits_and_not_before() throws SQLException {
        JobSpec spec = spec().build();
        try (Connection connection = begin()) {
            placeOrder(connection);
            assertThat(insert(connection, List.of(spec))).allMatch(Inserted::isNew);
            assertThat(store.jobs().find(spec.id())).isEmpty();
            connection.commit();
        }
        assertThat(store.jobs().find(spec.id())).isPresent();
    }

    @Test
    void do_not_exist_when_the_caller_rolls_back() throws SQLException {
        JobSpec plain = spec().build();
        JobSpec keyed = spec().idempotencyKey("order-1").build();
        try (Connection connection = begin()) {
            placeOrder(connection);
            insert(connection, List.of(plain, keyed));
            connection.rollback();
        }
        assertThat(store.jobs().find(plain.id())).isEmpty();
        assertThat(store.jobs().find(keyed.id())).isEmpty();
        JobSpec again = spec().idempotencyKey("order-1").build();
        assertThat(store.jobs().insert(List.of(again))).allMatch(Inserted::isNew);
    }

    @Test
    void return_the_first_job_for_a_key_that_is_taken() throws SQLException {
        JobSpec first = spec().idempotencyKey("order-1").build();
        store.jobs().insert(List.of(first));
        try (Connection connection = begin()) {
            List<Inserted> answers =
                    insert(connection, List.of(spec().idempotencyKey("order-1").build()));
            connection.commit();
            assertThat(answers).singleElement().satisfies(answer -> {
                assertThat(answer.isNew()).isFalse();
                assertThat(answer.job().id()).isEqualTo(first.id());
            });
        }
    }

    @Test
    void leave_the_callers_transaction_and_settings_as_they_were() throws SQLException {
        try (Connection connection = begin()) {
            String before = settings(connection);
            insert(
                    connection,
                    List.of(
                            spec().build(),
                            spec().idempotencyKey("taken").build(),
                            spec().idempotencyKey("taken").build()));
            insert(connection, List.of(spec().idempotencyKey("taken").build()));
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(settings(connection)).isEqualTo(before);
            placeOrder(connection);
            connection.commit();
        }
    }

    @Test
    void count_towards_the_bound_of_their_queue() throws SQLException {
        store.queues().maxDepth("default", 1);
        try (Connection connection = begin()) {
            insert(connection, List.of(spec().build()));
            assertThatThrownBy(() -> insert(connection, List.of(spec().build())))
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining("queue default is full");
            connection.commit();
        }
    }

    @Test
    void leave_nothing_behind_when_they_are_rejected_and_the_caller_continues() throws SQLException {
        store.queues().maxDepth("default", 1);
        JobSpec keyed = spec().idempotencyKey("order-1").build();
        try (Connection connection = begin()) {
            assertThatThrownBy(() -> insert(connection, List.of(keyed, spec().build())))
                    .isInstanceOf(LonghaulException.class);
            placeOrder(connection);
            connection.commit();
        }
        assertThat(store.jobs().insert(List.of(spec().idempotencyKey("order-1").build())))
                .allMatch(Inserted::isNew);
    }

    @Test
    void are_signalled_to_workers_twice_shortly_after_they_were_stored() throws Exception {
        var signalled = new CountDownLatch(2);
        store.work().listen(signal -> {
            if (signal.equals(new Signal(Signal.Kind.WORK, "default"))) {
                signalled.countDown();
            }
        });
        try (Connection connection = begin()) {
            insert(connection, List.of(spec().build()));
            connection.commit();
            assertThat(signalled.await(10, TimeUnit.SECONDS))
                    .as("signalled twice")
                    .isTrue();
        }
    }

    @Test
    void need_a_transaction() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            assertThatThrownBy(() -> insert(connection, List.of(spec().build())))
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining("connection: in auto-commit mode (expected: in a transaction");
        }
    }

    private List<Inserted> insert(Connection connection, List<JobSpec> specs) throws SQLException {
        return store.capability(TransactionalInserts.class).orElseThrow().insert(connection, specs);
    }

    private static JobSpec.Builder spec() {
        return JobSpec.of(new DefinitionRef("ship", 1), "{}");
    }

    private Connection begin() throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static void placeOrder(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert into orders values (1)");
        }
    }

    private static String settings(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select string_agg(name || '=' || setting, ',' order by name)"
                        + " from pg_settings where name like 'enable%' or name in ('jit', 'plan_cache_mode')")) {
            row.next();
            return row.getString(1);
        }
    }
}
